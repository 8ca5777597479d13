/** What each tool cost and how it fared; a row narrows the page to its tool. */
import { FAILED_STATUSES } from '../../api/metric-records.ts';
import type { Span } from '../../charts/period.ts';
import { count, duration, percent } from '../../components/format.ts';
import { Money } from '../../components/money.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { callsHref } from '../../figures/call-links.ts';
import { hrefOf } from '../../router/route.ts';
import type { ToolUsage } from './usage-records.ts';

const time = (id: 'p50Ms' | 'p95Ms' | 'p99Ms', title: string): Column<ToolUsage> => ({
  id,
  title,
  isNumber: true,
  isSecondary: true,
  // Calls that were refused or wait for a person took no time at all.
  cell: (row) => (row.p99Ms === 0 ? '–' : duration(row[id])),
  sortBy: (row) => row[id],
});

const Failures = ({ row, href }: { readonly row: ToolUsage; readonly href: string }) =>
  row.failures === 0 ? (
    <span className="muted">0</span>
  ) : (
    <>
      <a className="cell-link" href={href}>
        {count(row.failures)}
      </a>{' '}
      <span className="muted">({percent(row.errorRate)})</span>
    </>
  );

const columnsFor = ({ from, to }: Pick<Span, 'from' | 'to'>): readonly Column<ToolUsage>[] => [
  {
    id: 'tool',
    title: 'Tool',
    cell: ({ tool }) => <SafeText text={tool} />,
    sortBy: ({ tool }) => tool,
  },
  {
    id: 'calls',
    title: 'Calls',
    isNumber: true,
    cell: ({ tool, calls }) => (
      <a className="cell-link" href={callsHref({ tool, from, to })}>
        {count(calls)}
      </a>
    ),
    sortBy: ({ calls }) => calls,
  },
  {
    id: 'failures',
    title: 'Failed',
    isNumber: true,
    cell: (row) => {
      const status = FAILED_STATUSES.join(',');
      return <Failures row={row} href={callsHref({ tool: row.tool, from, to, status })} />;
    },
    sortBy: ({ failures }) => failures,
  },
  {
    id: 'cost',
    title: 'Cost',
    isNumber: true,
    cell: ({ costUsd }) => <Money usd={costUsd} />,
    sortBy: ({ costUsd }) => costUsd,
  },
  time('p50Ms', 'Median'),
  time('p95Ms', 'p95'),
  time('p99Ms', 'p99'),
];

interface ToolCostsProps {
  readonly rows: readonly ToolUsage[];
  readonly period: string;
  readonly span: Pick<Span, 'from' | 'to'>;
  readonly current: string;
}

export const ToolCosts = ({ rows, period, span, current }: ToolCostsProps) => (
  <Table
    label="Costs by tool"
    columns={columnsFor(span)}
    rows={rows}
    keyOf={({ tool }) => tool}
    hrefOf={({ tool }) => hrefOf(['costs'], { period, tool })}
    isCurrent={({ tool }) => tool === current}
  />
);
