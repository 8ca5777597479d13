/** The types of job that every crib has: one governed call, one run of a flow. */
import type { CallAs } from '../contract/call-options.ts';
import type { CribFlows, StartFlowAs } from '../contract/flow.ts';
import type { Job } from '../contract/queue.ts';
import type { JsonSchema } from '../contract/schema.ts';
import { keyedRunId } from '../kit/text/keyed-run-id.ts';
import type { JobTypes } from './job-types.ts';

interface ToolPayload {
  readonly tool: string;
  readonly input?: unknown;
}

interface FlowPayload {
  readonly flow: string;
  readonly input?: unknown;
  readonly runId?: string;
}

const named = (name: string, more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema => ({
  type: 'object',
  properties: { [name]: { type: 'string', minLength: 1 }, input: {}, ...more },
  required: [name],
  additionalProperties: false,
});

/** Runs of jobs and of idempotency keys have ids that others can compute: nobody may take them first. */
const RUN_ID: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  not: { pattern: '^(job|key)-' },
};

const callerOf = ({ caller, dailyUsd, trace }: Job): CallAs => ({
  ...caller,
  ...(dailyUsd !== undefined && { dailyUsd }),
  ...(trace && { trace }),
});

/**
 * Names the run of a job. An id that the holder of a token chose stands below its own name, as that of an
 * idempotency key does: it neither takes an id that the program chose nor learns whether there is a run of it.
 */
const runIdOf = ({ id, caller, payload }: Job): string => {
  const { flow, runId } = payload as FlowPayload;
  if (runId === undefined) return `job-${id}`;
  return caller.authenticated ? keyedRunId({ userId: caller.userId, flow, key: runId }) : runId;
};

export const registerBuiltinTypes = (types: JobTypes, flows: Pick<CribFlows, 'start'>): void => {
  types.register(
    'tool',
    (job, context) => {
      const { tool, input = {} } = job.payload as ToolPayload;
      return context.call(tool, input);
    },
    { input: named('tool') },
  );
  types.register(
    'flow',
    async (job) => {
      const { flow, input = {} } = job.payload as FlowPayload;
      const as: StartFlowAs = { ...callerOf(job), runId: runIdOf(job) };
      // The run has a journal of its own: the job is done when it is on record.
      return { runId: (await flows.start(flow, input, as)).runId };
    },
    { input: named('flow', { runId: RUN_ID }) },
  );
};
