/** What each tool cost and how it fared; a row narrows the page to its tool. */
import { count, duration } from '../../components/format.ts';
import { Money } from '../../components/money.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { hrefOf } from '../../router/route.ts';
import { failureRate } from './fill-buckets.ts';
import type { ToolUsage } from './usage-records.ts';

const time = (id: 'p50Ms' | 'p95Ms' | 'p99Ms', title: string): Column<ToolUsage> => ({
  id,
  title,
  isNumber: true,
  isSecondary: true,
  cell: (row) => duration(row[id]),
  sortBy: (row) => row[id],
});

const COLUMNS: readonly Column<ToolUsage>[] = [
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
    cell: ({ calls }) => count(calls),
    sortBy: ({ calls }) => calls,
  },
  {
    id: 'failures',
    title: 'Failed',
    isNumber: true,
    cell: (row) =>
      row.failures === 0 ? (
        <span className="muted">0</span>
      ) : (
        <>
          {count(row.failures)} <span className="muted">({failureRate(row)})</span>
        </>
      ),
    sortBy: ({ failures }) => failures,
  },
  {
    id: 'cost',
    title: 'Cost',
    isNumber: true,
    cell: ({ costUsd }) => <Money usd={costUsd} />,
    sortBy: ({ costUsd }) => costUsd,
  },
  time('p50Ms', 'p50'),
  time('p95Ms', 'p95'),
  time('p99Ms', 'p99'),
];

interface ToolCostsProps {
  readonly rows: readonly ToolUsage[];
  readonly period: string;
  readonly current: string;
}

export const ToolCosts = ({ rows, period, current }: ToolCostsProps) => (
  <Table
    label="Costs by tool"
    columns={COLUMNS}
    rows={rows}
    keyOf={({ tool }) => tool}
    hrefOf={({ tool }) => hrefOf(['costs'], { period, tool })}
    isCurrent={({ tool }) => tool === current}
  />
);
