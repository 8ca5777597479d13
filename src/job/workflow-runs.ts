/**
 * The runs of one `execute_workflow` job. Which of them the job has reported, and whether a person has put
 * the job back since, is kept beside the job: not every engine keeps progress, and the attempts that it
 * counts are no failures.
 */
import type { CribFlows } from '../contract/flow.ts';
import type { FlowRun } from '../contract/flow-store.ts';
import type { Job, Queue } from '../contract/queue.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { MemoryStore } from '../contract/store.ts';
import { DAY_MS } from '../kit/data/durations.ts';
import { isRecord } from '../kit/data/is-record.ts';
import { type ChangingStepsDeps, mayHaveChanged } from '../registry/changing-steps.ts';

export interface WorkflowRunsDeps extends Pick<ChangingStepsDeps, 'tools'> {
  readonly flows: Pick<CribFlows, 'get' | 'steps'>;
  readonly runtime: Pick<Runtime, 'now'>;
  memory(): Promise<Pick<MemoryStore, 'read' | 'write'>>;
}

export interface JobRuns {
  /** How many runs the job has started. */
  readonly count: number;
  readonly last: FlowRun | undefined;
}

interface RunNotes {
  /** The run whose end has failed an attempt. */
  readonly reported?: unknown;
  /** The run after which a person wants a new one. */
  readonly requeuedAfter?: unknown;
  /** How many runs there were when the job was last put back. */
  readonly runsBefore?: unknown;
}

const SPACE = 'toolcrib:workflow-jobs';
const KEPT_MS = 30 * DAY_MS;

export const isOver = ({ status }: FlowRun): boolean =>
  status === 'failed' || status === 'cancelled';

export const runIdOf = ({ id }: Job, number: number): string => `job-${id}-${number}`;

const RUN_ID = /^job-(.+)-\d+$/;

/**
 * Tells whether a run was started by a job that somebody has cancelled. Whoever did may have died before it
 * came to the run.
 */
export const isOfCancelledJob = async (
  { id, caller }: Pick<FlowRun, 'id' | 'caller'>,
  queue: () => Promise<Pick<Queue, 'get'>>,
): Promise<boolean> => {
  const [, jobId] = RUN_ID.exec(id) ?? [];
  if (jobId === undefined) return false;
  const job = await (await queue()).get(jobId);
  const isStarter = job?.type === 'execute_workflow' && job.caller.userId === caller.userId;
  return isStarter && job.state === 'cancelled';
};

export const runsOf = async (job: Job, flows: Pick<CribFlows, 'get'>): Promise<JobRuns> => {
  let last: FlowRun | undefined;
  for (let count = 0; ; count += 1) {
    const run = await flows.get(runIdOf(job, count + 1));
    if (!run) return { count, last };
    last = run;
  }
};

const readNotes = async ({ id }: Job, deps: WorkflowRunsDeps): Promise<RunNotes> => {
  const notes = await (await deps.memory()).read(SPACE, id, deps.runtime.now());
  return isRecord(notes) ? notes : {};
};

const writeNotes = async ({ id }: Job, notes: RunNotes, deps: WorkflowRunsDeps): Promise<void> => {
  const now = deps.runtime.now();
  const expiry = { at: now + KEPT_MS, now };
  await (await deps.memory()).write({ space: SPACE, key: id, value: notes, expiry });
};

/** Tells whether a failed attempt has had this run for its reason. */
export const isReported = async (job: Job, run: FlowRun, deps: WorkflowRunsDeps) =>
  (await readNotes(job, deps)).reported === run.id;

export const markReported = async (
  job: Job,
  run: FlowRun,
  deps: WorkflowRunsDeps,
): Promise<void> => {
  await writeNotes(job, { ...(await readNotes(job, deps)), reported: run.id }, deps);
};

/**
 * Tells whether an attempt may start another run after the last one: a person has put the job back, or the
 * last run has failed an attempt already and has changed nothing that was not undone.
 */
export const mayRunAgain = async (
  job: Job,
  { count, last }: JobRuns,
  deps: WorkflowRunsDeps,
): Promise<boolean> => {
  if (!last || !isOver(last)) return false;
  const { reported, requeuedAfter, runsBefore } = await readNotes(job, deps);
  if (requeuedAfter === last.id) return true;
  if (last.status !== 'failed' || reported !== last.id) return false;
  const runsSince = count - (typeof runsBefore === 'number' ? runsBefore : 0);
  return runsSince <= job.retries && !(await mayHaveChanged(last.id, deps));
};

/** Makes the hook for a job that a person puts back: its next attempt starts a run of its own. */
export const requeueWorkflow =
  (deps: WorkflowRunsDeps) =>
  async (job: Job): Promise<void> => {
    const { count, last } = await runsOf(job, deps.flows);
    if (!last || !isOver(last)) return;
    await writeNotes(job, { requeuedAfter: last.id, runsBefore: count }, deps);
  };
