/** The types of job that use services of the embedding program, and the one that runs a flow to its end. */
import type { AuditLog } from '../contract/audit.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { CribFlows } from '../contract/flow.ts';
import { FINISHED, type FlowRun } from '../contract/flow-store.ts';
import type { JobContext } from '../contract/job.ts';
import type { Job } from '../contract/queue.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { JsonSchema } from '../contract/schema.ts';
import type { VectorKind } from '../contract/vectors.ts';
import { auditEvent } from '../pipeline/record/audit-event.ts';
import { PostponedJob } from './job-end.ts';
import type { JobTypes } from './job-types.ts';

export interface BackgroundTypeDeps {
  /** The services that are there. */
  readonly services: { readonly embeddings: boolean; readonly push: boolean };
  readonly flows: Pick<CribFlows, 'start' | 'get'>;
  readonly runtime: Pick<Runtime, 'now'>;
  audit(): Promise<Pick<AuditLog, 'append'>>;
}

/** How soon a job looks again whose run is not over. */
const RUN_MS = 1_000;

const TEXT: JsonSchema = { type: 'string', minLength: 1 };

const record = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): JsonSchema => ({ type: 'object', properties, required, additionalProperties: false });

/** Puts on record what a job has done, as the user who added it. */
const note = async (
  { id, caller }: Job,
  { event, detail }: { readonly event: string; readonly detail: Readonly<Record<string, unknown>> },
  { audit, runtime }: BackgroundTypeDeps,
): Promise<void> => {
  const { userId: by, agentId, sessionId } = caller;
  const who = { id, by, agentId, sessionId, at: runtime.now() };
  await (await audit()).append(auditEvent({ ...who, event, status: 'success', detail }));
};

/** Makes the vector by a governed call, which holds, counts and records what it costs. */
const generateEmbedding =
  (deps: BackgroundTypeDeps) =>
  async (job: Job, { call }: JobContext): Promise<unknown> => {
    const { type, id } = job.payload as { readonly type: VectorKind; readonly id: string };
    const saved = (await call('save_embedding', job.payload)) as {
      readonly vectorDimensions: number;
    };
    const { vectorDimensions } = saved;
    const detail = { resourceType: type, resourceId: id, vectorDimensions };
    await note(job, { event: 'embedding.generated', detail }, deps);
    return { vectorDimensions };
  };

/** Refuses messages to other users at once: another attempt would not be allowed either. */
const assertAddressee = ({ caller: { userId, roles } }: Job, addressee: string): void => {
  if (userId === addressee || roles.includes('owner') || roles.includes('admin')) return;
  throw new ToolFailure('PERMISSION_DENIED', 'Only an owner or admin may notify other users.');
};

const sendNotification =
  (deps: BackgroundTypeDeps) =>
  async (job: Job, { call }: JobContext): Promise<unknown> => {
    const { userId } = job.payload as { readonly userId: string };
    assertAddressee(job, userId);
    const sent = (await call('send_notification', job.payload)) as {
      readonly tokenCount: number;
      readonly successCount: number;
    };
    const { tokenCount, successCount } = sent;
    if (tokenCount === 0) return { tokenCount, successCount };
    const detail = { resourceType: 'user', resourceId: userId, tokenCount, successCount };
    await note(job, { event: 'notification.sent', detail }, deps);
    return sent;
  };

/** Throws unless the run is over. One that failed fails the attempt: the next one starts a new run. */
const outputOf = ({ id, status, output, error }: FlowRun): unknown => {
  if (status === 'completed') return output ?? null;
  if (!FINISHED.has(status) && status !== 'blocked') {
    throw new PostponedJob(`The run ${id} is not over.`, RUN_MS);
  }
  const { code = 'EXECUTION_FAILED', message = '', ...extras } = error ?? {};
  const text = `The run ${id} is ${status}. ${message}`;
  throw new ToolFailure(status === 'blocked' ? 'CONFLICT' : code, text, extras);
};

const executeWorkflow =
  ({ flows, runtime, ...deps }: BackgroundTypeDeps) =>
  async (job: Job): Promise<unknown> => {
    const { workflowId, input = {} } = job.payload as {
      readonly workflowId: string;
      readonly input?: unknown;
    };
    const runId = `job-${job.id}-${job.attempts}`;
    const { dailyUsd } = job;
    const as = { ...job.caller, ...(dailyUsd !== undefined && { dailyUsd }), runId };
    const present = await flows.get(runId);
    const isOwn = present?.flow === workflowId && present.caller.userId === job.caller.userId;
    // Rejects with CONFLICT where somebody else has put a run under this id.
    if (!isOwn) await flows.start(workflowId, input, as);
    const run = await flows.get(runId);
    const output = run && outputOf(run);
    const durationMs = run ? run.updatedAt - run.createdAt : 0;
    const detail = { resourceId: runId, workflowId, status: 'completed', durationMs };
    await note(job, { event: 'workflow.completed', detail }, { ...deps, flows, runtime });
    return { status: 'completed', runId, output, durationMs };
  };

/** All that they do is governed calls and runs, judged as those of whoever added the job. */
const OPEN = { openToAgents: true };

export const registerBackgroundTypes = (types: JobTypes, deps: BackgroundTypeDeps): void => {
  types.register('execute_workflow', executeWorkflow(deps), {
    ...OPEN,
    input: record({ workflowId: TEXT, input: {} }, ['workflowId']),
  });
  if (deps.services.embeddings) {
    const kind: JsonSchema = { enum: ['knowledge', 'memory'] };
    const input = record({ type: kind, id: TEXT, content: TEXT }, ['type', 'id', 'content']);
    types.register('generate_embedding', generateEmbedding(deps), { ...OPEN, input });
  }
  if (deps.services.push) {
    const fields = { userId: TEXT, title: TEXT, body: TEXT, data: { type: 'object' } as const };
    const input = record(fields, ['userId', 'title', 'body']);
    types.register('send_notification', sendNotification(deps), { ...OPEN, input });
  }
};
