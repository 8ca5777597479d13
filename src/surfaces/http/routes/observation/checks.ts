/** Whether the parts of the crib work: the last results, how they changed, and checks on request. */
import { z } from 'zod';
import { HEALTH_KINDS, type HealthKind } from '../../../../contract/health.ts';
import { defineRoute, type Route } from '../../route.ts';

const kindSchema = z.enum(Object.keys(HEALTH_KINDS) as [HealthKind, ...HealthKind[]]);
const stateSchema = z.enum(['well', 'limited', 'unwell']);

const findingSchema = z.object({
  name: z.string(),
  state: z.enum(['ok', 'warning', 'broken']),
  message: z.string(),
  fix: z.string().optional(),
  notSetUp: z.literal(true).optional(),
});

const recordSchema = z.object({
  lastUsedAt: z.number().optional(),
  ran: z.number(),
  errorRate: z.number().optional(),
  failedInARow: z.number(),
  lastCode: z.string().optional(),
  restedAt: z.number().optional(),
});

const resultSchema = z.object({
  subject: z.string(),
  kind: kindSchema,
  name: z.string(),
  healthy: z.boolean(),
  state: stateSchema,
  checks: z.array(findingSchema),
  timestamp: z.number(),
  durationMs: z.number(),
  record: recordSchema.optional(),
});

const circuitSchema = z.object({
  tool: z.string(),
  state: z.enum(['closed', 'open', 'half-open']),
  failures: z.number(),
  openUntil: z.number().optional(),
  server: z.string().optional(),
  callers: z.number().optional(),
});

const scheduleSchema = z.object({
  subject: z.string(),
  cron: z.string(),
  timeZone: z.string().optional(),
  configured: z.literal(true).optional(),
});

const statusSchema = z.object({
  healthy: z.boolean(),
  ready: z.boolean(),
  checks: z.array(resultSchema),
  timestamp: z.number(),
});

const historySchema = z.object({
  last: resultSchema.optional(),
  changes: z.array(
    z.object({ timestamp: z.number(), state: stateSchema, reason: z.string().optional() }),
  ),
});

const subjectParams = z.strictObject({ subject: z.string().min(1).max(256) });

const overview = defineRoute({
  method: 'get',
  path: '/v1/health',
  role: 'viewer',
  tag: 'checks',
  summary: 'The last result of every check, what rests, and when is checked; checks nothing itself',
  response: statusSchema.partial().extend({
    checks: z.array(resultSchema),
    circuits: z.array(circuitSchema),
    schedules: z.array(scheduleSchema),
  }),
  handle: async ({ services: { crib } }) => {
    const { health } = crib;
    const [latest, schedules] = await Promise.all([health.latest(), health.schedules()]);
    const status = latest ?? { checks: [] };
    return { body: { ...status, circuits: [...health.circuits()], schedules: [...schedules] } };
  },
});

const checkAll = defineRoute({
  method: 'post',
  path: '/v1/health/check',
  role: 'operator',
  tag: 'checks',
  summary: 'Check everything now; MCP servers are started for it',
  response: statusSchema,
  handle: async ({ services: { crib } }) => ({ body: await crib.health.check() }),
});

const look = defineRoute({
  method: 'get',
  path: '/v1/health/:subject',
  role: 'viewer',
  tag: 'checks',
  summary: 'The last result of one subject, such as tool:git, server:github or store',
  input: { params: subjectParams },
  response: z.object({ last: resultSchema.optional(), circuit: circuitSchema.optional() }),
  handle: async ({ services: { crib }, params: { subject } }) => {
    const { last } = await crib.health.history(subject);
    const tool = subject.replace(/^tool:/, '');
    const circuit = crib.tools.get(tool) && (await crib.health.circuit(tool));
    return { body: { ...(last && { last }), ...(circuit && { circuit }) } };
  },
});

const history = defineRoute({
  method: 'get',
  path: '/v1/health/:subject/history',
  role: 'viewer',
  tag: 'checks',
  summary: 'How the state of one subject changed, newest first',
  input: { params: subjectParams },
  response: historySchema,
  handle: async ({ services: { crib }, params: { subject } }) => ({
    body: await crib.health.history(subject),
  }),
});

const checkOne = defineRoute({
  method: 'post',
  path: '/v1/health/:subject/check',
  role: 'operator',
  tag: 'checks',
  summary: 'Check one subject now',
  input: { params: subjectParams },
  response: resultSchema,
  handle: async ({ services: { crib }, params: { subject } }) => ({
    body: await crib.health.check(subject),
  }),
});

export const CHECK_ROUTES: readonly Route[] = [overview, checkAll, look, history, checkOne];
