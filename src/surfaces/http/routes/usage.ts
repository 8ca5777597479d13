/** What was spent, and how calls went over time: counted from the audit trail, which outlives a process. */
import { z } from 'zod';
import type { AuditLog, AuditRow } from '../../../contract/audit.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../kit/data/durations.ts';
import { defineRoute, type Route } from '../route.ts';
import { timeSchema } from '../schemas/lists.ts';

const limits = z.object({
  usd: z.number().optional(),
  calls: z.number().optional(),
  tokens: z.number().optional(),
});

const lineSchema = z.object({
  kind: z.string(),
  name: z.string(),
  period: z.string(),
  usd: z.number(),
  heldUsd: z.number(),
  calls: z.number(),
  tokens: z.number(),
  limit: limits,
});

const lines = defineRoute({
  method: 'get',
  path: '/v1/usage',
  role: 'viewer',
  tag: 'usage',
  summary: 'What was spent in a period',
  input: {
    query: z.strictObject({
      period: z
        .string()
        .regex(/^\d{4}-\d{2}(-\d{2})?$/, 'A day such as 2026-11-15, or a month.')
        .optional(),
    }),
  },
  response: z.object({ lines: z.array(lineSchema) }),
  handle: async ({ services, query: { period } }) => ({
    body: { lines: await services.crib.usage.summary(period === undefined ? {} : { period }) },
  }),
});

interface SeriesQuery {
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

/** Counts finished calls by time and by tool. */
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

const bucketSchema = z.object({
  at: z.number(),
  calls: z.number(),
  failures: z.number(),
  costUsd: z.number(),
  tokens: z.number(),
  p50Ms: z.number(),
  p95Ms: z.number(),
});

const toolSchema = z.object({
  tool: z.string(),
  calls: z.number(),
  failures: z.number(),
  costUsd: z.number(),
  p50Ms: z.number(),
  p95Ms: z.number(),
  p99Ms: z.number(),
});

const series = defineRoute({
  method: 'get',
  path: '/v1/usage/series',
  role: 'viewer',
  tag: 'usage',
  summary: 'Calls, failures, cost and latency by minute, hour or day, and by tool',
  input: {
    query: z.strictObject({
      from: timeSchema.optional(),
      to: timeSchema.optional(),
      bucket: z.enum(['minute', 'hour', 'day']).default('hour'),
      tool: z.string().min(1).max(256).optional(),
    }),
  },
  response: z.object({
    buckets: z.array(bucketSchema),
    byTool: z.array(toolSchema),
    /** True when there were more calls than are counted at once; the oldest are left out. */
    truncated: z.boolean(),
  }),
  handle: async ({ services: { crib, deps }, query }) => {
    const to = query.to ?? deps.runtime.now() + 1;
    const from = query.from ?? to - DAY_MS;
    const { audit } = await crib.store();
    return { body: await usageSeries(audit, { ...query, from, to }) };
  },
});

export const USAGE_ROUTES: readonly Route[] = [lines, series];
