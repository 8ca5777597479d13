/** The types of job that use services of the embedding program, and the one that runs a flow to its end. */
import type { AuditLog } from '../contract/audit.ts';
import type {
  BackgroundServices,
  Embeddings,
  PushService,
} from '../contract/background-services.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { CribFlows } from '../contract/flow.ts';
import { FINISHED, type FlowRun } from '../contract/flow-store.ts';
import type { JobContext } from '../contract/job.ts';
import type { Job } from '../contract/queue.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { JsonSchema } from '../contract/schema.ts';
import { errorCodeOf } from '../kit/data/reason-of.ts';
import { auditEvent } from '../pipeline/record/audit-event.ts';
import { PostponedJob } from './job-end.ts';
import type { JobTypes } from './job-types.ts';

export interface BackgroundTypeDeps {
  readonly services: BackgroundServices;
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

const generateEmbedding =
  (embeddings: Embeddings, deps: BackgroundTypeDeps) =>
  async (job: Job, { signal }: JobContext): Promise<unknown> => {
    const { type, id, content } = job.payload as {
      readonly type: 'knowledge' | 'memory';
      readonly id: string;
      readonly content: string;
    };
    const vector = await embeddings.generate(content, signal);
    if (vector.length === 0 || !vector.every(Number.isFinite)) {
      throw new ToolFailure('OUTPUT_INVALID', 'The embedding model returned no vector of numbers.');
    }
    await embeddings.store({ type, id, userId: job.caller.userId, vector });
    const detail = { resourceType: type, resourceId: id, vectorDimensions: vector.length };
    await note(job, { event: 'embedding.generated', detail }, deps);
    return { vectorDimensions: vector.length };
  };

/** Refuses messages to other users: who is addressed comes from a payload that anyone may have written. */
const assertAddressee = ({ caller }: Job, userId: string): void => {
  const { roles } = caller;
  if (caller.userId === userId || roles.includes('owner') || roles.includes('admin')) return;
  throw new ToolFailure('PERMISSION_DENIED', 'Only an owner or admin may notify other users.');
};

const sendNotification =
  (push: PushService, deps: BackgroundTypeDeps) =>
  async (job: Job, { signal }: JobContext): Promise<unknown> => {
    const { userId, ...message } = job.payload as {
      readonly userId: string;
      readonly title: string;
      readonly body: string;
      readonly data?: Readonly<Record<string, unknown>>;
    };
    assertAddressee(job, userId);
    const tokens = await push.tokens(userId);
    if (tokens.length === 0) return { tokenCount: 0, successCount: 0 };
    const results = await Promise.allSettled(
      tokens.map(({ token, platform }) => push.send({ ...message, token, platform }, signal)),
    );
    const failures = results.map((each) => (each.status === 'rejected' ? [each.reason] : []));
    const gone = tokens.filter((_, at) =>
      failures[at]?.some((why) => errorCodeOf(why) === 'INVALID_TOKEN'),
    );
    for (const { id } of gone) await push.removeToken(id);
    const successCount = results.filter(({ status }) => status === 'fulfilled').length;
    // Nothing was sent and a device may still be reached: another attempt repeats no message.
    if (successCount === 0 && gone.length < tokens.length) throw failures.flat()[0];
    const detail = { resourceId: userId, tokenCount: tokens.length, successCount };
    await note(
      job,
      { event: 'notification.sent', detail: { ...detail, title: message.title } },
      deps,
    );
    return { tokenCount: tokens.length, successCount, removed: gone.length };
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
    if (!(await flows.get(runId))) await flows.start(workflowId, input, as);
    const run = await flows.get(runId);
    const output = run && outputOf(run);
    const durationMs = run ? run.updatedAt - run.createdAt : 0;
    const detail = { resourceId: runId, workflowId, status: 'completed', durationMs };
    await note(job, { event: 'workflow.completed', detail }, { ...deps, flows, runtime });
    return { status: 'completed', runId, output, durationMs };
  };

export const registerBackgroundTypes = (types: JobTypes, deps: BackgroundTypeDeps): void => {
  const { embeddings, push } = deps.services;
  types.register('execute_workflow', executeWorkflow(deps), {
    input: record({ workflowId: TEXT, input: {} }, ['workflowId']),
  });
  if (embeddings) {
    const kind: JsonSchema = { enum: ['knowledge', 'memory'] };
    const input = record({ type: kind, id: TEXT, content: TEXT }, ['type', 'id', 'content']);
    types.register('generate_embedding', generateEmbedding(embeddings, deps), { input });
  }
  if (push) {
    const fields = { userId: TEXT, title: TEXT, body: TEXT, data: { type: 'object' } as const };
    const input = record(fields, ['userId', 'title', 'body']);
    types.register('send_notification', sendNotification(push, deps), { input });
  }
};
