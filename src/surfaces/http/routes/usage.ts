/** What was spent, and how calls went over time. */
import { z } from 'zod';
import { defineRoute, type Route } from '../route.ts';
import { timeSchema } from '../schemas/lists.ts';
import { usageSeries } from '../usage-series.ts';

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

const DAY_MS = 86_400_000;

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
    /** There were more calls than are counted at once; the oldest are left out. */
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
