/** Lets workflows answer later: adds and runs the jobs that deliver them, and receives their callbacks. */
import type { CribHost } from '../../contract/crib-host.ts';
import { ERRORS, ToolFailure } from '../../contract/errors.ts';
import type {
  CompletionOutcome,
  Invocation,
  InvocationCompletion,
} from '../../contract/invocation.ts';
import type { JobHandler } from '../../contract/job.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { auditEvent } from '../../pipeline/record/audit-event.ts';
import { hasNotBegun } from '../../registry/unchanged-calls.ts';
import { deliveryToolName } from '../../sources/n8n/invocation-tools.ts';
import { createInvocations, type Invocations } from '../../sources/n8n/invocations.ts';
import type { LaterDeps } from '../../sources/n8n/workflow-tool.ts';

/** The type of the jobs that deliver runs. */
const DELIVERY_JOB = 'deliver_workflow';

export interface LaterWorkflowDeps {
  readonly runtime: Pick<Runtime, 'now'>;
  /** Returns the crib, once it is made: sources are opened before. */
  host(): Pick<CribHost, 'store' | 'jobs'>;
}

const invocationsOf = (
  host: () => Pick<CribHost, 'store'>,
  { now }: Pick<Runtime, 'now'>,
): Invocations =>
  createInvocations({ now: () => now(), memory: async () => (await host().store()).memory });

interface Delivery {
  readonly source: string;
  readonly invocationId: string;
}

/** Tells whether another call has delivered the run. */
const isDelivered = ({ code, extras }: ToolFailure): boolean =>
  code === 'CONFLICT' && extras.inDoubt === undefined;

/** Tells whether n8n has not started the workflow and the next attempt of the job may deliver it. */
const mayDeliver = ({ code, extras }: ToolFailure): boolean =>
  hasNotBegun({ code }) && (extras.retryable ?? ERRORS[code].retryable);

/**
 * Makes the handler that delivers a run. Records a failure as final when another attempt could start a
 * second run.
 */
const deliveryHandler =
  (invocations: Invocations, ended: (record: Invocation) => Promise<void>): JobHandler<Delivery> =>
  async ({ payload: { source, invocationId }, attempts, retries }, { call }) => {
    try {
      return await call(deliveryToolName(source), { invocationId });
    } catch (error) {
      if (!(error instanceof ToolFailure) || isDelivered(error)) throw error;
      if (mayDeliver(error) && attempts <= retries) throw error;
      const record = await invocations.failed(invocationId, error.message);
      if (record) await ended(record);
      const text = `The run ${invocationId} could not be delivered: ${error.message}`;
      throw new ToolFailure('CONFLICT', text, { ...error.extras, retryable: false });
    }
  };

const PAYLOAD = {
  type: 'object',
  properties: { source: { type: 'string' }, invocationId: { type: 'string' } },
  required: ['source', 'invocationId'],
  additionalProperties: false,
} as const;

/** Registers the type of job, in every process that may work on the queue. */
export const registerDeliveries = (
  crib: Pick<CribHost, 'store' | 'jobs' | 'events'>,
  runtime: Pick<Runtime, 'now'>,
): void => {
  const ended = (record: Invocation) => announceEnd(record, crib, runtime);
  const handler = deliveryHandler(
    invocationsOf(() => crib, runtime),
    ended,
  );
  crib.jobs.register<Delivery>(DELIVERY_JOB, handler, { input: PAYLOAD });
};

export const laterWorkflows = ({ host, runtime }: LaterWorkflowDeps): LaterDeps => ({
  invocations: invocationsOf(host, runtime),
  enqueue: async ({ source, id }, context) => {
    const { userId, agentId, sessionId, loopId, isolation, authenticated } = context;
    const { traceId } = context;
    const tool = deliveryToolName(source);
    await host().jobs.enqueue(
      DELIVERY_JOB,
      { source, invocationId: id },
      {
        userId,
        agentId,
        sessionId,
        loopId,
        isolation,
        authenticated,
        // The job may deliver and nothing else, whatever its caller may do.
        roles: [],
        permissions: [`tool:${tool}`],
        idempotencyKey: id,
        tools: [tool, `job:${DELIVERY_JOB}`],
        ...(traceId !== undefined && { traceId }),
      },
    );
  },
});

/** Puts the end of a run on record, and tells those who listen. */
const announceEnd = async (
  record: Invocation,
  crib: Pick<CribHost, 'store' | 'events'>,
  runtime: Pick<Runtime, 'now'>,
): Promise<void> => {
  const { id: invocationId, source, workflowId, userId, tool, status, durationMs } = record;
  const detail = { resourceId: invocationId, source, workflowId, status, durationMs };
  const row = auditEvent({
    event: 'workflow.completed',
    id: invocationId,
    by: userId,
    tool,
    detail,
    status: status === 'success' ? 'success' : 'failure',
    at: runtime.now(),
  });
  await (await crib.store()).audit.append(row);
  const success = status === 'success';
  crib.events.emit('workflow.completed', { invocationId, source, workflowId, success, userId });
};

/** Records the answer of a workflow whose signature has been checked. */
export const completeWorkflow = async (
  crib: Pick<CribHost, 'store' | 'events'>,
  source: string,
  {
    completion,
    runtime,
  }: { readonly completion: InvocationCompletion; readonly runtime: Pick<Runtime, 'now'> },
): Promise<CompletionOutcome> => {
  const invocations = invocationsOf(() => crib, runtime);
  const outcome = await invocations.complete(source, completion);
  const record =
    outcome === 'completed' ? await invocations.get(completion.invocationId) : undefined;
  if (record) await announceEnd(record, crib, runtime);
  return outcome;
};
