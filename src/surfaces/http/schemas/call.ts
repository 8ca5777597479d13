/** Calls, their results and their records as this API shows them. */
import { z } from 'zod';
import { nameSchema } from './lists.ts';
import { tierSchema } from './tool.ts';

const issueSchema = z.object({
  path: z.array(z.union([z.string(), z.number()])),
  message: z.string(),
});

const errorSchema = z.object({
  code: z.string(),
  message: z.string(),
  type: z.string(),
  severity: z.enum(['low', 'medium', 'high', 'critical']),
  recoverable: z.boolean(),
  retryable: z.boolean(),
  suggestions: z.array(z.string()),
  issues: z.array(issueSchema).optional(),
  retryAfterMs: z.number().optional(),
  cause: z.string().optional(),
  standing: z.array(z.string()).optional(),
  inDoubt: z.string().optional(),
  keyHeld: z.literal(true).optional(),
});

export const errorBodySchema = z.object({ error: errorSchema });

export const toolResultSchema = z.object({
  success: z.boolean(),
  status: z.enum(['success', 'failure', 'timeout', 'cancelled', 'denied', 'pending']),
  data: z.unknown().optional(),
  error: errorSchema.optional(),
  warnings: z.array(z.string()).optional(),
  approval: z.object({ approvalId: z.string(), expiresAt: z.number() }).optional(),
  whole: z.object({ handle: z.string(), bytes: z.number() }).optional(),
  metadata: z.looseObject({ executionId: z.string(), toolName: z.string() }),
});

export const executeBody = z.strictObject({
  input: z.unknown(),
  version: z.string().max(100).optional(),
  idempotencyKey: nameSchema.optional(),
  dryRun: z.boolean().optional(),
  approvalId: nameSchema.optional(),
  timeoutMs: z.number().int().positive().optional(),
  sessionId: nameSchema.optional(),
  agentId: nameSchema.optional(),
  audience: z.enum(['program', 'model']).optional(),
});

const callSchema = {
  tool: nameSchema,
  input: z.unknown(),
  inputFrom: z.unknown().optional(),
  id: nameSchema.optional(),
  options: z
    .strictObject({
      idempotencyKey: nameSchema.optional(),
      approvalId: nameSchema.optional(),
      version: z.string().max(100).optional(),
      timeoutMs: z.number().int().positive().optional(),
      dryRun: z.boolean().optional(),
    })
    .optional(),
};

const { inputFrom: _inputFrom, ...singleCall } = callSchema;

const plannedCalls = z
  .array(z.strictObject({ ...callSchema, dependsOn: z.array(nameSchema).max(100).optional() }))
  .max(100);

export const processBody = z.discriminatedUnion('operation', [
  z.strictObject({ operation: z.literal('execute_single'), ...callSchema }),
  z.strictObject({
    operation: z.literal('execute_chain'),
    calls: z.array(z.strictObject(callSchema)).max(100),
    continueOnError: z.boolean().optional(),
  }),
  z.strictObject({
    operation: z.literal('orchestrate'),
    calls: z
      .array(
        z.strictObject({
          ...callSchema,
          id: nameSchema,
          dependsOn: z.array(nameSchema).max(100).optional(),
        }),
      )
      .max(100),
    maxConcurrency: z.number().int().positive().max(100).optional(),
  }),
  z.strictObject({ operation: z.literal('discover'), query: z.string().max(1000).optional() }),
  z.strictObject({
    operation: z.literal('validate'),
    calls: z.array(z.strictObject(singleCall)).max(100),
  }),
  z.strictObject({ operation: z.literal('validate_chain'), calls: plannedCalls }),
  z.strictObject({ operation: z.literal('optimize_chain'), calls: plannedCalls }),
]);

export const processResultSchema = z.object({
  operation: z.string(),
  status: z.enum(['success', 'partial', 'failure']),
  results: z.array(toolResultSchema),
  calls: z
    .array(
      z.object({
        id: z.string().optional(),
        tool: z.string(),
        status: z.string(),
        executionId: z.string().optional(),
      }),
    )
    .optional(),
  data: z.unknown().optional(),
  chain: z
    .object({
      chainId: z.string(),
      flow: z.array(
        z.object({
          id: z.string(),
          after: z.array(z.string()),
          startedMs: z.number().optional(),
          finishedMs: z.number().optional(),
        }),
      ),
      totalResourcesUsed: z.object({
        costUsd: z.number(),
        tokens: z.number(),
        cpuMs: z.number(),
        peakMemoryBytes: z.number(),
      }),
    })
    .optional(),
  errors: z.array(errorSchema),
  durationMs: z.number(),
});

export const executionSchema = z.object({
  executionId: z.string(),
  tool: z.string(),
  summary: z.string(),
  version: z.string(),
  tier: tierSchema.or(z.literal('')),
  status: z.string(),
  code: z.string(),
  at: z.number(),
  durationMs: z.number(),
  costUsd: z.number(),
  userId: z.string(),
  agentId: z.string(),
  sessionId: z.string(),
  effect: z.string().optional(),
});

export const auditRowSchema = z.object({
  seq: z.number(),
  kind: z.enum(['intent', 'outcome', 'event']),
  executionId: z.string(),
  at: z.number(),
  tool: z.string(),
  version: z.string(),
  tier: tierSchema.or(z.literal('')),
  userId: z.string(),
  agentId: z.string(),
  sessionId: z.string(),
  status: z.string(),
  code: z.string(),
  durationMs: z.number(),
  costMicros: z.number(),
  detail: z.record(z.string(), z.unknown()),
  hash: z.string(),
});

const progressSchema = z.object({ fraction: z.number(), note: z.string().optional() });

export const runningSchema = executionSchema.extend({
  progress: progressSchema.optional(),
  isHere: z.boolean(),
});

export const executionDetailSchema = executionSchema.extend({
  state: z.string(),
  effect: z.string(),
  progress: progressSchema.optional(),
  rows: z.array(auditRowSchema),
  trace: z
    .array(
      z.object({
        stage: z.string(),
        startMs: z.number(),
        durationMs: z.number(),
        outcome: z.string(),
      }),
    )
    .optional(),
  undoable: z.boolean(),
  /** What the code of the call means, in the words of the table of errors. */
  meaning: z.string().optional(),
});
