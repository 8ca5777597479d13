/** Audit: what happened, row by row, and the proof that nobody changed it since. */
import { useState } from 'react';
import type { AuditRow, Page } from '../../api/call-records.ts';
import { useServices } from '../../api/services.tsx';
import { useLoad } from '../../api/use-load.ts';
import { type Pages, usePages } from '../../api/use-pages.ts';
import { Button } from '../../components/button.tsx';
import { Pagination } from '../../components/pagination.tsx';
import { SplitView } from '../../components/split-view.tsx';
import { EmptyState, ErrorState, Skeleton, WhenLoaded } from '../../components/states.tsx';
import { PageFrame } from '../../layout/page-frame.tsx';
import { useLive } from '../../live/use-live.ts';
import { hrefOf, useRoute } from '../../router/route.ts';
import { type AuditFilter, filterOf, isFiltered, isRowNumber, queryOf } from './audit-filter.ts';
import { AuditFilters } from './audit-filters.tsx';
import { AuditRowView } from './audit-row-view.tsx';
import { AuditTable } from './audit-table.tsx';
import { TrailProof } from './trail-proof.tsx';
import './audit.css';

const Nothing = ({ filter }: { readonly filter: AuditFilter }) =>
  isFiltered(filter) ? (
    <EmptyState icon="search" title="No row fits">
      <p>Names have to be written in full. Loosen a filter, or clear them all.</p>
      <a href={hrefOf(['audit'])}>Clear the filters</a>
    </EmptyState>
  ) : (
    <EmptyState icon="audit" title="The trail is empty">
      <p>Every call writes a row, refused ones too. Call a tool and it shows here.</p>
      <a href={hrefOf(['tools'])}>Try a tool</a>
    </EmptyState>
  );

/** Offers new rows with a button: they must not push away what is being read. */
const Newer = ({ onShow }: { readonly onShow: () => void }) => {
  const [fresh, setFresh] = useState(0);
  useLive(
    ['call.finished', 'approval.decided', 'permission.*', 'connection.reopened', 'stream.reset'],
    () => setFresh((n) => n + 1),
  );
  if (fresh === 0) return null;
  const show = (): void => {
    setFresh(0);
    onShow();
  };
  return (
    <Button isSmall onClick={show}>
      Show newer rows
    </Button>
  );
};

interface RowsProps {
  readonly rows: Pages<AuditRow>;
  readonly filter: AuditFilter;
  readonly current: string;
}

const Rows = ({ rows, filter, current }: RowsProps) => {
  if (rows.isLoading) return <Skeleton />;
  if (rows.error && rows.items.length === 0) {
    return <ErrorState error={rows.error} onRetry={rows.reload} />;
  }
  return (
    <>
      <p className="newer">
        <Newer onShow={rows.reload} />
      </p>
      {rows.items.length === 0 ? (
        <Nothing filter={filter} />
      ) : (
        <AuditTable rows={rows.items} filter={filter} current={current} />
      )}
      {rows.items.length > 0 && <Pagination of={rows} one="row" many="rows" />}
    </>
  );
};

const NoSuchRow = ({ seq }: { readonly seq: string }) => (
  <EmptyState icon="search" title={`There is no row ${seq}`}>
    <p>It was never written, or it is no longer kept.</p>
    <a href={hrefOf(['audit'])}>Show all rows</a>
  </EmptyState>
);

/** Shows a row that is not in the list: it is older, or a filter hides it. */
const FoundRow = ({ seq }: { readonly seq: string }) => {
  const { api } = useServices();
  const page = useLoad(`row ${seq}`, async () =>
    isRowNumber(seq)
      ? api.get<Page<AuditRow>>('/v1/audit', { seq })
      : { items: [] as readonly AuditRow[] },
  );
  return (
    <WhenLoaded of={page}>
      {({ items: [row] }) => (row ? <AuditRowView row={row} /> : <NoSuchRow seq={seq} />)}
    </WhenLoaded>
  );
};

export const AuditPage = () => {
  const { rest, query } = useRoute();
  const [current = ''] = rest;
  const filter = filterOf(query);
  const rows = usePages<AuditRow>('/v1/audit', queryOf(filter));
  const opened = rows.items.find(({ seq }) => String(seq) === current);
  const detail = opened ? <AuditRowView row={opened} /> : <FoundRow key={current} seq={current} />;
  return (
    <PageFrame
      title="Audit"
      lead="Every call leaves its rows here, each bound to the one before by a hash."
    >
      <TrailProof filter={filter} />
      <AuditFilters filter={filter} />
      <SplitView
        label={`Row ${current}`}
        back={hrefOf(['audit'], filter)}
        list={<Rows rows={rows} filter={filter} current={current} />}
        {...(current !== '' && !rows.isLoading && { detail })}
      />
    </PageFrame>
  );
};
