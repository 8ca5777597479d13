/** Jobs, queues and schedules as this API shows them, and what it takes to add them. */
import { z } from 'zod';
import { errorBodySchema } from './call.ts';
import { nameSchema } from './lists.ts';

export const jobStateSchema = z.enum([
  'waiting',
  'delayed',
  'active',
  'completed',
  'dead',
  'cancelled',
]);

const callerSchema = z.object({
  userId: z.string(),
  agentId: z.string(),
  sessionId: z.string(),
});

export const jobSchema = z.object({
  id: z.string(),
  queue: z.string(),
  type: z.string(),
  state: jobStateSchema,
  caller: callerSchema,
  priority: z.number(),
  attempts: z.number(),
  retries: z.number(),
  createdAt: z.number(),
  runAt: z.number(),
  startedAt: z.number().optional(),
  finishedAt: z.number().optional(),
  traceId: z.string().optional(),
  idempotencyKey: z.string().optional(),
  scheduleId: z.string().optional(),
  error: errorBodySchema.shape.error.optional(),
  /** The questions to a person that it waits for, each `approval:<id>`. */
  waitsFor: z.array(z.string()).optional(),
  /** Payload, progress and result are left out: this reader is neither owner nor admin. */
  withheld: z.literal(true).optional(),
  payload: z.unknown().optional(),
  progress: z.unknown().optional(),
  result: z.unknown().optional(),
});

export const countsSchema = z.object({
  queue: z.string(),
  waiting: z.number(),
  delayed: z.number(),
  active: z.number(),
  completed: z.number(),
  dead: z.number(),
  cancelled: z.number(),
});

export const scheduleSchema = z.object({
  id: z.string(),
  cron: z.string(),
  timeZone: z.string().optional(),
  queue: z.string(),
  type: z.string(),
  caller: callerSchema,
  nextAt: z.number(),
  lastAt: z.number().optional(),
  withheld: z.literal(true).optional(),
  payload: z.unknown().optional(),
});

/** Bounds are checked where jobs are made; these keep nonsense out. */
const amount = z.number().int().min(0);

const newJob = {
  type: nameSchema,
  payload: z.unknown().optional(),
  queue: nameSchema.exactOptional(),
  retries: amount.exactOptional(),
  priority: amount.exactOptional(),
  backoff: z.strictObject({ initialMs: amount, factor: z.number(), maxMs: amount }).exactOptional(),
  agentId: nameSchema.exactOptional(),
  sessionId: nameSchema.exactOptional(),
};

export const jobBody = z.strictObject({
  ...newJob,
  delayMs: amount.exactOptional(),
  idempotencyKey: nameSchema.exactOptional(),
});

export const scheduleBody = z.strictObject({
  ...newJob,
  cron: z.string().min(1).max(200),
  timeZone: z.string().min(1).max(100).exactOptional(),
});
