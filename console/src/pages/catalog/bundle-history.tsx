/** The bundles that were published: who, when and why; and going back to the content of one. */
import { useState } from 'react';
import { useMay } from '../../api/services.tsx';
import { usePages } from '../../api/use-pages.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { count, exactTime } from '../../components/format.ts';
import { Pagination } from '../../components/pagination.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import type { PublishedBundle } from './catalog-records.ts';
import { NoteField, noted } from './note-field.tsx';
import { useCatalogAction } from './use-catalog-action.ts';
import { useReloadWith } from './use-reload-with.ts';

const COLUMNS: readonly Column<PublishedBundle>[] = [
  {
    id: 'serial',
    title: 'Bundle',
    cell: ({ serial, restored, note }) => (
      <>
        {serial} {restored !== undefined && <Badge tone="info">content of {restored}</Badge>}
        {note !== undefined && (
          <span className="row-note">
            <SafeText text={note} />
          </span>
        )}
      </>
    ),
    sortBy: ({ serial }) => serial,
  },
  {
    id: 'at',
    title: 'Published',
    cell: ({ publishedAt, publishedBy }) => (
      <>
        <RelativeTime at={publishedAt} />
        <span className="row-note">
          by <SafeText text={publishedBy} />
        </span>
      </>
    ),
    sortBy: ({ publishedAt }) => publishedAt,
  },
  {
    id: 'entries',
    title: 'Entries',
    isNumber: true,
    isSecondary: true,
    cell: ({ entries }) => count(entries),
    sortBy: ({ entries }) => entries,
  },
  {
    id: 'proposals',
    title: 'Proposals',
    isNumber: true,
    isSecondary: true,
    cell: ({ proposals }) => (proposals.length === 0 ? '–' : count(proposals.length)),
    sortBy: ({ proposals }) => proposals.length,
  },
  {
    id: 'digest',
    title: 'Digest',
    isSecondary: true,
    cell: ({ digest }) => <code title={digest}>{digest.slice(0, 12)}</code>,
  },
];

interface RollBackProps {
  readonly bundle: PublishedBundle;
  readonly next: number;
  onChanged(): void;
  onClose(): void;
}

const RollBackDialog = ({ bundle, next, onChanged, onClose }: RollBackProps) => {
  const send = useCatalogAction(onChanged);
  const [note, setNote] = useState('');
  const { serial, publishedAt, publishedBy } = bundle;
  const rollBack = (): Promise<void> =>
    send<PublishedBundle>(
      '/v1/catalog/rollback',
      { serial, ...noted(note) },
      (made) => `Bundle ${made.serial} has the content of bundle ${serial}.`,
    );
  return (
    <ConfirmDialog
      title={`Go back to bundle ${serial}?`}
      confirm="Roll back"
      kind="danger"
      onConfirm={rollBack}
      onClose={onClose}
    >
      <p>
        Its {bundle.entries === 1 ? 'one entry is' : `${count(bundle.entries)} entries are`}{' '}
        published again as bundle {next}. What came later is no longer in force at the clients’ next
        sync.
      </p>
      <p className="muted">
        Published {exactTime(publishedAt)} by <SafeText text={publishedBy} />.
      </p>
      <NoteField value={note} onChange={setNote} hint="Why. Shown in the history. Optional." />
    </ConfirmDialog>
  );
};

interface HistoryProps {
  readonly serial: number;
  /** Changes whenever the catalog does. */
  readonly version: string;
  onChanged(): void;
}

export const BundleHistory = ({ serial, version, onChanged }: HistoryProps) => {
  const pages = usePages<PublishedBundle>('/v1/catalog/history');
  useReloadWith(version, pages.reload);
  const mayRollBack = useMay('admin');
  const [chosen, setChosen] = useState<PublishedBundle>();
  const rollBack: Column<PublishedBundle> = {
    id: 'rollback',
    title: 'Roll back',
    cell: (bundle) =>
      bundle.serial === serial ? (
        <Badge tone="good">in force</Badge>
      ) : (
        <Button
          isSmall
          aria-label={`Roll back to bundle ${bundle.serial}`}
          onClick={() => setChosen(bundle)}
        >
          Roll back
        </Button>
      ),
  };
  if (pages.isLoading) return <Skeleton />;
  if (pages.error && pages.items.length === 0) {
    return <ErrorState error={pages.error} onRetry={pages.reload} />;
  }
  if (pages.items.length === 0) {
    return (
      <EmptyState icon="catalog" title="Nothing was published yet">
        <p>Every bundle that is published stands here, with who published it and why.</p>
      </EmptyState>
    );
  }
  return (
    <>
      <Table
        label="Published bundles"
        columns={mayRollBack ? [...COLUMNS, rollBack] : COLUMNS}
        rows={pages.items}
        keyOf={(bundle) => String(bundle.serial)}
      />
      <Pagination of={pages} one="bundle" many="bundles" />
      {chosen && (
        <RollBackDialog
          bundle={chosen}
          next={serial + 1}
          onChanged={onChanged}
          onClose={() => setChosen(undefined)}
        />
      )}
    </>
  );
};
