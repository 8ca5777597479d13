/** Runs a flow to its end on behalf of a job. The run has a journal of its own, so it outlives an attempt. */
import { type ErrorCode, ToolFailure } from '../contract/errors.ts';
import type { CribFlows } from '../contract/flow.ts';
import { FINISHED, type FlowRun } from '../contract/flow-store.ts';
import { waitingApprovals } from '../contract/flow-view.ts';
import type { JobContext } from '../contract/job.ts';
import type { Job } from '../contract/queue.ts';
import { errorCodeOf } from '../kit/data/reason-of.ts';
import { mayHaveChanged } from '../registry/changing-steps.ts';
import { PostponedJob } from './job-end.ts';
import {
  isOver,
  isReported,
  markReported,
  mayRunAgain,
  runIdOf,
  runsOf,
  type WorkflowRunsDeps,
} from './workflow-runs.ts';

export interface ExecuteWorkflowDeps extends WorkflowRunsDeps {
  readonly flows: Pick<CribFlows, 'start' | 'get' | 'steps' | 'cancel'>;
  /** Tells whether somebody has cancelled the job. */
  isCancelled(jobId: string): Promise<boolean>;
  /** Puts on record that a run is over. */
  note(job: Job, end: WorkflowEnd): Promise<void>;
}

export interface WorkflowEnd {
  readonly resourceId: string;
  readonly workflowId: string;
  readonly status: FlowRun['status'];
  readonly durationMs: number;
}

/** How soon a job looks again whose run is not over. */
const RUN_MS = 1_000;

const endOf = ({ id, flow, status, updatedAt, createdAt }: FlowRun): WorkflowEnd => ({
  resourceId: id,
  workflowId: flow,
  status,
  durationMs: updatedAt - createdAt,
});

/** Makes the failure of a run whose effects stand: another run would do them again, so a person decides. */
const leftChanged = (text: string, cause: ErrorCode): ToolFailure =>
  new ToolFailure('CONFLICT', `${text} It may have changed something, so it is not run again.`, {
    cause,
    retryable: false,
    suggestions: [
      'Look at its steps. Requeue the job to run the flow anew, or let the flow undo what it did: undoOnFailure.',
    ],
  });

const failureOf = async (
  { id, status, error }: FlowRun,
  deps: ExecuteWorkflowDeps,
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

/** Cancels a run and puts its end on record. One that is being undone ends by itself. */
const cancelRun = async (job: Job, runId: string, deps: ExecuteWorkflowDeps): Promise<void> => {
  const { flows, note } = deps;
  try {
    if (!(await flows.cancel(runId))) return;
  } catch (error) {
    if (errorCodeOf(error) === 'CONFLICT') return;
    throw error;
  }
  const run = await flows.get(runId);
  if (run) await note(job, endOf(run));
};

/** Starts the run, unless it is there. Rejects with CONFLICT where somebody else has a run of this id. */
const startRun = async (
  job: Job,
  { runId, last }: { readonly runId: string; readonly last: FlowRun | undefined },
  deps: ExecuteWorkflowDeps,
): Promise<void> => {
  const { workflowId, input = {} } = job.payload as {
    readonly workflowId: string;
    readonly input?: unknown;
  };
  const present = last?.id === runId ? last : undefined;
  if (present?.flow === workflowId && present.caller.userId === job.caller.userId) return;
  const { dailyUsd, trace } = job;
  const limits = { ...(dailyUsd !== undefined && { dailyUsd }), ...(trace && { trace }) };
  const as = { ...job.caller, ...limits, runId };
  await deps.flows.start(workflowId, input, as);
  // Whoever cancelled the job before the run was on record could not cancel the run.
  if (!(await deps.isCancelled(job.id))) return;
  await cancelRun(job, runId, deps);
  throw new ToolFailure('CANCELLED', 'The job was cancelled.');
};

/** Makes the handler. A run that fails fails the attempt; a later one may start another run. */
export const executeWorkflow =
  (deps: ExecuteWorkflowDeps) =>
  async (job: Job, { progress }: Pick<JobContext, 'progress'>): Promise<unknown> => {
    const { flows, note } = deps;
    const runs = await runsOf(job, flows);
    const { count, last } = runs;
    const isNext = !last || (await mayRunAgain(job, runs, deps));
    const runId = isNext ? runIdOf(job, count + 1) : last.id;
    await startRun(job, { runId, last }, deps);
    const run = await flows.get(runId);
    if (!run || (!FINISHED.has(run.status) && run.status !== 'blocked')) {
      const [approvalId] = run ? waitingApprovals(run) : [];
      throw new PostponedJob(`The run ${runId} is not over.`, RUN_MS, approvalId);
    }
    if (run.status === 'completed') {
      const end = endOf(run);
      await note(job, end);
      const { output = null } = run;
      return { status: 'completed', runId, output, durationMs: end.durationMs };
    }
    if (isOver(run) && !(await isReported(job, run, deps))) {
      await note(job, endOf(run));
      await markReported(job, run, deps);
      await progress({ runId, status: run.status });
    }
    throw await failureOf(run, deps);
  };

/** Makes the hook that cancels the run of a job that was cancelled. */
export const cancelWorkflow =
  (deps: ExecuteWorkflowDeps) =>
  async (job: Job): Promise<void> => {
    const { last } = await runsOf(job, deps.flows);
    const isOwn = last?.caller.userId === job.caller.userId;
    if (last && isOwn && !FINISHED.has(last.status)) await cancelRun(job, last.id, deps);
  };
