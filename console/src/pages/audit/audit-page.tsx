/** Audit: what happened, row by row, and the proof that nobody changed it since. */
import { useState } from 'react';
import type { AuditRow } from '../../api/call-records.ts';
import { type Pages, usePages } from '../../api/use-pages.ts';
import { Button } from '../../components/button.tsx';
import { Pagination } from '../../components/pagination.tsx';
import { SplitView } from '../../components/split-view.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { PageFrame } from '../../layout/page-frame.tsx';
import { useLive } from '../../live/use-live.ts';
import { hrefOf, useRoute } from '../../router/route.ts';
import { type AuditFilter, filterOf, isFiltered, queryOf } from './audit-filter.ts';
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

/** New rows do not push away what one is reading: a button brings them in. */
const Newer = ({ onShow }: { readonly onShow: () => void }) => {
  const [fresh, setFresh] = useState(0);
  useLive(['call.finished', 'line.reopened'], () => setFresh((n) => n + 1));
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
      {rows.error && <ErrorState error={rows.error} onRetry={rows.loadMore} />}
      {rows.items.length > 0 && (
        <Pagination
          shown={rows.items.length}
          noun={rows.items.length === 1 ? 'row' : 'rows'}
          hasMore={rows.hasMore}
          isBusy={rows.isLoadingMore}
          onMore={rows.loadMore}
        />
      )}
    </>
  );
};

const NotHere = ({ seq, rows }: { readonly seq: string; readonly rows: Pages<AuditRow> }) => (
  <EmptyState icon="search" title={`Row ${seq} is not among those shown`}>
    <p>It may be older than these, hidden by a filter, or no longer kept.</p>
    {rows.hasMore && (
      <Button isBusy={rows.isLoadingMore} onClick={rows.loadMore}>
        Show older rows
      </Button>
    )}
  </EmptyState>
);

export const AuditPage = () => {
  const { rest, query } = useRoute();
  const [current = ''] = rest;
  const filter = filterOf(query);
  const rows = usePages<AuditRow>('/v1/audit', queryOf(filter));
  const opened = rows.items.find(({ seq }) => String(seq) === current);
  const detail = opened ? <AuditRowView row={opened} /> : <NotHere seq={current} rows={rows} />;
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
