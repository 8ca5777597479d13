/** The figures of calls in any range of time: in total, over time, and by tool, source or caller. */
import { z } from 'zod';
import { defineRoute, type Route } from '../../route.ts';
import { figuresSchema } from '../../schemas/figures.ts';
import { timeSchema } from '../../schemas/lists.ts';

const name = z.string().min(1).max(256).optional();
const range = { from: timeSchema.optional(), to: timeSchema.optional() };

/** Leaves out absent fields: the members refuse `undefined` under a name. */
const given = <T extends object>(query: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };

const scope = { tool: name, source: name, caller: name };

const history = defineRoute({
  method: 'get',
  path: '/v1/metrics',
  role: 'viewer',
  tag: 'metrics',
  summary: 'How calls went in a range of time, in all and step by step',
  input: {
    query: z.strictObject({
      ...range,
      step: z.enum(['minute', 'hour', 'day']).optional(),
      ...scope,
    }),
  },
  response: z.object({
    from: z.number(),
    to: z.number(),
    stepMs: z.number(),
    points: z.array(figuresSchema.extend({ start: z.number() })),
    total: figuresSchema,
  }),
  handle: async ({ services: { crib }, query }) => ({
    body: await crib.metrics.history(given(query)),
  }),
});

const heat = defineRoute({
  method: 'get',
  path: '/v1/metrics/heat',
  role: 'viewer',
  tag: 'metrics',
  summary: 'How many calls took how long, over time: the cells of a heat map',
  input: { query: z.strictObject({ ...range, ...scope }) },
  response: z.object({
    from: z.number(),
    to: z.number(),
    columnMs: z.number(),
    cells: z.array(
      z.object({
        start: z.number(),
        overMs: z.number().optional(),
        upToMs: z.number().optional(),
        calls: z.number(),
      }),
    ),
  }),
  handle: async ({ services: { crib }, query }) => ({
    body: await crib.metrics.heat(given(query)),
  }),
});

const lines = defineRoute({
  method: 'get',
  path: '/v1/metrics/:kind',
  role: 'viewer',
  tag: 'metrics',
  summary: 'The tools, sources or callers of a range of time, those with the most calls first',
  input: {
    params: z.strictObject({ kind: z.enum(['tool', 'source', 'caller']) }),
    query: z.strictObject({ ...range, limit: z.coerce.number().int().min(1).max(1000).optional() }),
  },
  response: z.object({ lines: z.array(figuresSchema.extend({ name: z.string() })) }),
  handle: async ({ services: { crib }, params, query }) => ({
    body: { lines: await crib.metrics.by(params.kind, given(query)) },
  }),
});

export const METRIC_ROUTES: readonly Route[] = [history, heat, lines];
