/** Runs a flow to its end on behalf of a job. The run has a journal of its own, so it outlives an attempt. */
import type { Catalog } from '../contract/catalog.ts';
import { type ErrorCode, ToolFailure } from '../contract/errors.ts';
import type { CribFlows } from '../contract/flow.ts';
import { FINISHED, type FlowRun } from '../contract/flow-store.ts';
import type { JobContext } from '../contract/job.ts';
import type { Job } from '../contract/queue.ts';
import { isRecord } from '../kit/data/is-record.ts';
import { mayHaveChanged } from '../registry/changing-steps.ts';
import { PostponedJob } from './job-end.ts';

export interface ExecuteWorkflowDeps {
  readonly flows: Pick<CribFlows, 'start' | 'get' | 'steps' | 'cancel'>;
  readonly tools: Pick<Catalog, 'get'>;
  /** Puts on record that the flow has run to its end. */
  note(job: Job, detail: Readonly<Record<string, unknown>>): Promise<void>;
}

/** How soon a job looks again whose run is not over. */
const RUN_MS = 1_000;

const isOver = ({ status }: FlowRun): boolean => status === 'failed' || status === 'cancelled';

/** The run that a failed attempt was about, as its progress tells. */
const failedRun = ({ progress }: Job): unknown =>
  isRecord(progress) && progress.status === 'failed' ? progress.runId : undefined;

interface JobRuns {
  /** How many runs the job has started. */
  readonly count: number;
  readonly last: FlowRun | undefined;
}

const runIdOf = ({ id }: Job, number: number): string => `job-${id}-${number}`;

const runsOf = async (job: Job, flows: Pick<CribFlows, 'get'>): Promise<JobRuns> => {
  let last: FlowRun | undefined;
  for (let count = 0; ; count += 1) {
    const run = await flows.get(runIdOf(job, count + 1));
    if (!run) return { count, last };
    last = run;
  }
};

/**
 * Names the run that an attempt is about: the last one, also where the process that started it has died,
 * or a new one where the last one has failed an attempt already.
 */
const currentRun = (job: Job, { count, last }: JobRuns): string => {
  const hasFailed = last && isOver(last) && (failedRun(job) === last.id || count < job.attempts);
  return last && !hasFailed ? last.id : runIdOf(job, count + 1);
};

/** Another run would do again what this one has done: a person decides. */
const leftChanged = (text: string, cause: ErrorCode): ToolFailure =>
  new ToolFailure('CONFLICT', `${text} It may have changed something, so it is not run again.`, {
    ...{ cause, retryable: false },
    suggestions: [
      'Look at its steps. Requeue the job to run the flow anew, or let the flow undo what it did: undoOnFailure.',
    ],
  });

const failureOf = async (
  { id, status, error }: FlowRun,
  deps: Pick<ExecuteWorkflowDeps, 'flows' | 'tools'>,
): Promise<ToolFailure> => {
  const { code = 'EXECUTION_FAILED', message = '', ...extras } = error ?? {};
  const text = `The run ${id} is ${status}. ${message}`;
  // A person decides about a run that is blocked, and has decided about one that was cancelled.
  if (status !== 'failed')
    return new ToolFailure('CONFLICT', text, { ...extras, retryable: false });
  return (await mayHaveChanged(id, deps))
    ? leftChanged(text, code)
    : new ToolFailure(code, text, extras);
};

/** Makes the handler. A run that fails fails the attempt; the next one starts a new run. */
export const executeWorkflow =
  (deps: ExecuteWorkflowDeps) =>
  async (job: Job, { progress }: Pick<JobContext, 'progress'>): Promise<unknown> => {
    const { flows, note } = deps;
    const { workflowId, input = {} } = job.payload as {
      readonly workflowId: string;
      readonly input?: unknown;
    };
    const runId = currentRun(job, await runsOf(job, flows));
    const { dailyUsd } = job;
    const as = { ...job.caller, ...(dailyUsd !== undefined && { dailyUsd }), runId };
    const present = await flows.get(runId);
    const isOwn = present?.flow === workflowId && present.caller.userId === job.caller.userId;
    // Rejects with CONFLICT where somebody else has put a run under this id.
    if (!isOwn) await flows.start(workflowId, input, as);
    const run = await flows.get(runId);
    if (!run || (!FINISHED.has(run.status) && run.status !== 'blocked')) {
      throw new PostponedJob(`The run ${runId} is not over.`, RUN_MS);
    }
    if (run.status !== 'completed') {
      if (isOver(run)) await progress({ runId, status: 'failed' });
      throw await failureOf(run, deps);
    }
    const { output = null, updatedAt, createdAt } = run;
    const durationMs = updatedAt - createdAt;
    await note(job, { resourceId: runId, workflowId, status: 'completed', durationMs });
    return { status: 'completed', runId, output, durationMs };
  };

/** Cancels the run of a job that was cancelled. */
export const cancelWorkflow =
  (flows: ExecuteWorkflowDeps['flows']) =>
  async (job: Job): Promise<void> => {
    const { last } = await runsOf(job, flows);
    const isOwn = last?.caller.userId === job.caller.userId;
    if (last && isOwn && !FINISHED.has(last.status)) await flows.cancel(last.id);
  };
