/** The types of job that use services of the embedding program, and the one that runs a flow to its end. */
import type { AuditLog, AuditStatus } from '../contract/audit.ts';
import { isOwner } from '../contract/caller.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { JobContext } from '../contract/job.ts';
import type { Job } from '../contract/queue.ts';
import type { JsonSchema } from '../contract/schema.ts';
import type { VectorKind } from '../contract/vectors.ts';
import { auditEvent } from '../pipeline/record/audit-event.ts';
import {
  cancelWorkflow,
  type ExecuteWorkflowDeps,
  executeWorkflow,
  type WorkflowEnd,
} from './execute-workflow.ts';
import type { JobTypes } from './job-types.ts';
import { requeueWorkflow } from './workflow-runs.ts';

export interface BackgroundTypeDeps extends Omit<ExecuteWorkflowDeps, 'note'> {
  /** The services that are there. */
  readonly services: { readonly embeddings: boolean; readonly push: boolean };
  audit(): Promise<Pick<AuditLog, 'append'>>;
}

/** What a type needs whose service is not there. */
const NEEDS = {
  generate_embedding:
    'It needs model.embedding in the configuration, a model with embed, or background.embeddings of createCrib.',
  send_notification:
    'It needs background.push.send of createCrib: add it, and work on it, in the program that has it.',
} as const;

const TEXT: JsonSchema = { type: 'string', minLength: 1 };

const record = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): JsonSchema => ({ type: 'object', properties, required, additionalProperties: false });

interface JobEvent {
  readonly event: string;
  readonly status?: AuditStatus;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Puts on record what a job has done, as the user who added it. */
const note = async (
  { id, caller }: Job,
  { event, detail, status = 'success' }: JobEvent,
  { audit, runtime }: BackgroundTypeDeps,
): Promise<void> => {
  const { userId: by, agentId, sessionId } = caller;
  const who = { id, by, agentId, sessionId, at: runtime.now() };
  await (await audit()).append(auditEvent({ ...who, event, status, detail }));
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
const assertAddressee = ({ caller }: Job, addressee: string): void => {
  if (caller.userId === addressee || isOwner(caller)) return;
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

const workflowStatus = (status: WorkflowEnd['status']): AuditStatus => {
  if (status === 'completed') return 'success';
  return status === 'cancelled' ? 'cancelled' : 'failure';
};

/** All that they do is governed calls and runs, judged as those of whoever added the job. */
const OPEN = { openToAgents: true };

export const registerBackgroundTypes = (types: JobTypes, deps: BackgroundTypeDeps): void => {
  const workflow: ExecuteWorkflowDeps = {
    ...deps,
    note: (job, end) =>
      note(
        job,
        { event: 'workflow.completed', status: workflowStatus(end.status), detail: { ...end } },
        deps,
      ),
  };
  types.register('execute_workflow', executeWorkflow(workflow), {
    ...OPEN,
    cancelled: cancelWorkflow(workflow),
    requeued: requeueWorkflow(workflow),
    input: record({ workflowId: TEXT, input: {} }, ['workflowId']),
  });
  if (deps.services.embeddings) {
    const kind: JsonSchema = { enum: ['knowledge', 'memory'] };
    const input = record({ type: kind, id: TEXT, content: TEXT }, ['type', 'id', 'content']);
    types.register('generate_embedding', generateEmbedding(deps), { ...OPEN, input });
  } else types.noteNeed('generate_embedding', NEEDS.generate_embedding);
  if (deps.services.push) {
    const fields = { userId: TEXT, title: TEXT, body: TEXT, data: { type: 'object' } as const };
    const input = record(fields, ['userId', 'title', 'body']);
    types.register('send_notification', sendNotification(deps), { ...OPEN, input });
  } else types.noteNeed('send_notification', NEEDS.send_notification);
};
