/** What rules in shadow mode would have done to calls that really happened. */
import { usePages } from '../../api/use-pages.ts';
import { Pagination } from '../../components/pagination.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { useReloadOn } from '../../live/use-live.ts';
import { hrefOf } from '../../router/route.ts';
import { EffectBadge } from './effect-badge.tsx';
import type { ShadowNote } from './policy-records.ts';

const COLUMNS: readonly Column<ShadowNote>[] = [
  {
    id: 'tool',
    title: 'Tool',
    cell: ({ tool }) => <SafeText text={tool} />,
    sortBy: (n) => n.tool,
  },
  { id: 'at', title: 'When', cell: ({ at }) => <RelativeTime at={at} />, sortBy: (n) => n.at },
  {
    id: 'findings',
    title: 'Would have',
    cell: ({ findings }) =>
      findings.map(({ rule, effect, reason }) => (
        <p key={rule}>
          <EffectBadge effect={effect} /> <SafeText text={rule} />
          {reason !== '' && (
            <span className="muted">
              {' '}
              <SafeText text={reason} />
            </span>
          )}
        </p>
      )),
  },
];

export const ShadowPanel = () => {
  const notes = usePages<ShadowNote>('/v1/policy/shadow');
  useReloadOn(['policy.shadowed'], () => !notes.isDeep && notes.reload());
  if (notes.isLoading) return <Skeleton />;
  if (notes.error && notes.items.length === 0) {
    return <ErrorState error={notes.error} onRetry={notes.reload} />;
  }
  if (notes.items.length === 0) {
    return (
      <EmptyState icon="policy" title="No shadow findings since the server started">
        <p>
          Add <code>shadow: true</code> to a rule to see here what it would do, before it does it.
        </p>
      </EmptyState>
    );
  }
  return (
    <>
      <Table
        label="Shadow findings"
        columns={COLUMNS}
        rows={notes.items}
        keyOf={({ at, executionId }) => `${at} ${executionId}`}
        hrefOf={({ executionId }) => hrefOf(['activity', executionId])}
      />
      <Pagination of={notes} one="call" many="calls" />
    </>
  );
};
