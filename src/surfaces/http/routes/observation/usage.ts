/**
 * What was spent, and the figures of calls over time: counted from the audit trail, which outlives a
 * process.
 */
import { z } from 'zod';
import type { CallFigures, CribMetrics } from '../../../../contract/metrics.ts';
import { REPORT_FORMATS } from '../../../../contract/usage-report.ts';
import { DAY_MS } from '../../../../kit/data/durations.ts';
import { defineRoute, type Route } from '../../route.ts';
import { timeSchema } from '../../schemas/lists.ts';

const MAX_TOOLS = 1000;

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

/** Counts calls that ran and failed, as all other figures count errors: refused ones are not among them. */
const failuresOf = ({ byStatus }: CallFigures): number =>
  (byStatus.failure ?? 0) + (byStatus.timeout ?? 0) + (byStatus.unknown ?? 0);

const figures = (each: CallFigures) => ({
  calls: each.calls,
  failures: failuresOf(each),
  costUsd: each.costUsd,
  p50Ms: each.medianExecutionTime,
  p95Ms: each.p95ExecutionTime,
});

const toolFigures = (each: CallFigures) => ({
  ...figures(each),
  errorRate: each.errorRate,
  p99Ms: each.p99ExecutionTime,
});

interface SeriesQuery {
  readonly from: number;
  readonly to: number;
  readonly bucket: 'minute' | 'hour' | 'day';
  readonly tool?: string | undefined;
}

/** Reads the figures of calls by time and by tool. */
const usageSeries = async (metrics: CribMetrics, { from, to, bucket, tool }: SeriesQuery) => {
  const scope = tool === undefined ? {} : { tool };
  const { points } = await metrics.history({ from, to, step: bucket, ...scope });
  const lines =
    tool === undefined
      ? await metrics.by('tool', { from, to, limit: MAX_TOOLS })
      : [{ name: tool, ...(await metrics.summary({ from, to, tool })) }];
  return {
    buckets: points.map((point) => ({
      at: point.start,
      ...figures(point),
      tokens: point.tokens,
    })),
    byTool: lines
      .filter(({ calls }) => calls > 0)
      .map(({ name, ...line }) => ({ tool: name, ...toolFigures(line) })),
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
  errorRate: z.number(),
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
  }),
  handle: async ({ services: { crib, deps }, query }) => {
    const to = query.to ?? deps.runtime.now() + 1;
    const from = query.from ?? to - DAY_MS;
    return { body: await usageSeries(crib.metrics, { ...query, from, to }) };
  },
});

const report = defineRoute({
  method: 'get',
  path: '/v1/usage/report',
  role: 'viewer',
  tag: 'usage',
  summary: 'What was used in a month (UTC), as CSV, JSON or a page to print',
  input: {
    query: z.strictObject({
      month: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'A month such as 2026-11.'),
      format: z.enum(REPORT_FORMATS).default('json'),
    }),
  },
  response: 'application/json',
  handle: async ({ services: { crib }, query: { month, format } }) => {
    const { name, type, text } = await crib.usage.reportFile(month, format);
    return new Response(text, {
      headers: { 'content-type': type, 'content-disposition': `attachment; filename="${name}"` },
    });
  },
});

export const USAGE_ROUTES: readonly Route[] = [lines, series, report];
