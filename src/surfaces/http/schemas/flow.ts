/** Flows, runs and steps as this API shows them. */
import { z } from 'zod';
import { errorBodySchema } from './call.ts';
import { nameSchema } from './lists.ts';

export const flowSchema = z.object({
  name: z.string(),
  version: z.string(),
  versions: z.array(z.string()),
  description: z.string(),
  source: z.enum(['code', 'data']),
  input: z.record(z.string(), z.unknown()).optional(),
});

export const runStatusSchema = z.enum([
  'running',
  'sleeping',
  'waiting',
  'blocked',
  'completed',
  'failed',
  'cancelled',
]);

const error = errorBodySchema.shape.error;

export const runSchema = z.object({
  id: z.string(),
  flow: z.string(),
  version: z.string(),
  status: runStatusSchema,
  caller: z.object({ userId: z.string(), agentId: z.string(), sessionId: z.string() }),
  parent: z.object({ runId: z.string(), key: z.string() }).optional(),
  createdAt: z.number(),
  updatedAt: z.number(),
  wakeAt: z.number().optional(),
  waitsFor: z.array(z.string()).optional(),
  /** It is due, and this server does not have its version: resume it with another one. */
  missingVersion: z.literal(true).optional(),
  /** Input, output and values of steps are left out: this reader is neither owner nor admin. */
  withheld: z.literal(true).optional(),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  error: error.optional(),
  /** What its calls have cost, those of the runs that it has started included; absent in lists. */
  cost: z.object({ usd: z.number(), heldUsd: z.number(), tokens: z.number() }).optional(),
});

const stageSchema = z.object({
  stage: z.string(),
  startMs: z.number(),
  durationMs: z.number(),
  outcome: z.string(),
});

const stepSchema = z.object({
  key: z.string(),
  kind: z.string(),
  name: z.string(),
  state: z.enum(['open', 'done', 'failed']),
  startedAt: z.number(),
  finishedAt: z.number().optional(),
  callMs: z.number().optional(),
  costUsd: z.number().optional(),
  executionId: z.string().optional(),
  approvalId: z.string().optional(),
  childId: z.string().optional(),
  wakeAt: z.number().optional(),
  summary: z.string().optional(),
  input: z.unknown().optional(),
  value: z.unknown().optional(),
  error: error.optional(),
  trace: z.array(stageSchema).optional(),
});

const graphSchema = z.object({
  nodes: z.array(
    z.object({
      id: z.string(),
      label: z.string(),
      kind: z.string(),
      state: z.string(),
      note: z.string().optional(),
    }),
  ),
  edges: z.array(z.object({ from: z.string(), to: z.string(), label: z.string().optional() })),
  /** How much is too much to be drawn. */
  leftOut: z.object({ nodes: z.number(), edges: z.number() }).optional(),
});

export const runDetailSchema = runSchema.extend({
  steps: z.array(stepSchema),
  /** How many rows the journal has, notes of the engine included. */
  stepCount: z.number(),
  /** `steps` holds only the first of them. */
  isCut: z.boolean(),
  /** `cost.usd`. */
  costUsd: z.number(),
  graph: graphSchema,
});

export const planBody = z.strictObject({
  input: z.unknown().optional(),
  agentId: nameSchema.optional(),
  sessionId: nameSchema.optional(),
});

const planStepSchema = z.looseObject({
  id: z.string(),
  type: z.string(),
  verdict: z.enum(['allow', 'ask', 'deny', 'unknown']),
  effects: z.array(z.string()),
  estimatedMs: z.number(),
  maxUsd: z.number(),
  level: z.number(),
});

const stepReason = z.object({ step: z.string(), reason: z.string() });

export const planSchema = z.looseObject({
  flow: z.string(),
  version: z.string(),
  digest: z.string(),
  steps: z.array(planStepSchema),
  levels: z.array(z.array(z.string())),
  criticalPath: z.array(z.string()),
  estimatedMs: z.number(),
  cost: z.object({ maxUsd: z.number(), isOpen: z.boolean() }),
  approvals: z.array(stepReason),
  denied: z.array(stepReason),
  missingCredentials: z.array(z.object({ step: z.string(), key: z.string() })),
  /** Where one of them is an error the flow cannot be run, and time and cost are not known. */
  faults: z.array(
    z.looseObject({
      path: z.array(z.union([z.string(), z.number()])),
      message: z.string(),
      severity: z.enum(['error', 'warning']),
    }),
  ),
});

export const planApprovalSchema = z.object({
  approvalId: z.string(),
  expiresAt: z.number(),
  flow: z.string(),
  version: z.string(),
  digest: z.string(),
  calls: z.number(),
  asks: z.array(stepReason),
});

export const startBody = z.strictObject({
  input: z.unknown().optional(),
  planApproval: nameSchema.optional(),
  version: z.string().min(1).max(100).optional(),
  idempotencyKey: nameSchema.optional(),
  agentId: nameSchema.optional(),
  sessionId: nameSchema.optional(),
});

export const sendBody = z.strictObject({ event: nameSchema, payload: z.unknown().optional() });

const settlementSchema = z.strictObject({
  step: z.string().min(1).max(1000),
  as: z.enum(['done', 'not_done']),
  data: z.unknown().optional(),
});

export const resumeBody = z
  .strictObject({
    version: z.string().min(1).max(100).exactOptional(),
    settle: settlementSchema.exactOptional(),
  })
  .optional();
