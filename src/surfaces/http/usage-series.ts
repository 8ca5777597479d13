/** How calls went over time, counted from the audit trail: it survives restarts and is shared. */
import type { AuditLog, AuditRow } from '../../contract/audit.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kit/data/durations.ts';

export interface SeriesQuery {
  readonly from: number;
  readonly to: number;
  readonly bucket: 'minute' | 'hour' | 'day';
  readonly tool?: string | undefined;
}

const SIZES = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const;
const MICROS = 1_000_000;
const MAX_ROWS = 50_000;

const atRank = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;

const tokensIn = ({ detail }: AuditRow): number =>
  typeof detail.tokens === 'number' ? detail.tokens : 0;

const sum = (rows: readonly AuditRow[], of: (row: AuditRow) => number): number =>
  rows.reduce((total, row) => total + of(row), 0);

/** A call that waits for a person has not failed. */
const hasFailed = ({ status }: AuditRow): boolean => status !== 'success' && status !== 'pending';

const figures = (rows: readonly AuditRow[]) => {
  const sorted = rows.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  return {
    calls: rows.length,
    failures: rows.filter(hasFailed).length,
    costUsd: sum(rows, ({ costMicros }) => costMicros) / MICROS,
    p50Ms: atRank(sorted, 0.5),
    p95Ms: atRank(sorted, 0.95),
    p99Ms: atRank(sorted, 0.99),
  };
};

const groupBy = <K>(rows: readonly AuditRow[], keyOf: (row: AuditRow) => K): Map<K, AuditRow[]> => {
  const groups = new Map<K, AuditRow[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
};

export const usageSeries = async (audit: AuditLog, { from, to, bucket, tool }: SeriesQuery) => {
  const named = tool === undefined ? {} : { tool };
  const rows = await audit.query({ kind: 'outcome', from, to, ...named, limit: MAX_ROWS + 1 });
  const counted = rows.slice(0, MAX_ROWS);
  const size = SIZES[bucket];
  const byTime = groupBy(counted, ({ at }) => Math.floor(at / size) * size);
  const byTool = groupBy(counted, (row) => row.tool);
  return {
    buckets: [...byTime]
      .sort(([a], [b]) => a - b)
      .map(([at, group]) => {
        const { p99Ms: _, ...rest } = figures(group);
        return { at, ...rest, tokens: sum(group, tokensIn) };
      }),
    byTool: [...byTool]
      .map(([name, group]) => ({ tool: name, ...figures(group) }))
      .sort((a, b) => b.calls - a.calls),
    truncated: rows.length > MAX_ROWS,
  };
};
