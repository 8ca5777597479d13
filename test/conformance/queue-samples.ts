/** What the suite for queues is handed, and the jobs and workers that its tests use. */
import { expect, it } from 'vitest';
import { LOCAL_CALLER } from '../../src/contract/caller.ts';
import type {
  Job,
  JobEnd,
  JobRun,
  JobState,
  NewJob,
  Queue,
  QueueAbility,
  QueueWorker,
  WorkOptions,
} from '../../src/contract/queue.ts';

export interface QueueUnderTest {
  readonly queue: Queue;
  /** Opens the same queues as another process would. Absent where no other process can. */
  another?(): Promise<Queue>;
  /**
   * Makes the engine take the process of this queue for dead, while its handlers run on. Absent where
   * no other process can use the queues.
   */
  abandon?(queue: Queue): Promise<void>;
  /** Called after the queue is closed. */
  cleanup(): Promise<void>;
}

export type OpenQueue = () => Promise<QueueUnderTest>;
export type UseQueue = (test: (opened: QueueUnderTest) => Promise<void>) => Promise<void>;

export type Lacks = NonNullable<Queue['lacks']>;

/**
 * Makes a test of the suite that needs abilities which an engine may lack: it is skipped there, and its
 * title says why.
 */
export const testWith =
  (lacks: Lacks) =>
  (needs: readonly QueueAbility[], title: string, test: () => Promise<void>): void => {
    const reason = needs.map((ability) => lacks[ability]).find((each) => each !== undefined);
    const shown = reason === undefined ? title : `${title} (not here: ${reason})`;
    it.skipIf(reason !== undefined)(shown, test);
  };

export const QUEUE = 'main';
const BACKOFF = { initialMs: 20, factor: 2, maxMs: 200 };

export const sampleJob = (id: string, parts: Partial<NewJob> = {}): NewJob => ({
  ...{ id, queue: QUEUE, type: 'sample', payload: { id }, caller: LOCAL_CALLER },
  ...{ priority: 0, retries: 3, backoff: BACKOFF, runAt: 0, createdAt: Date.now() },
  ...parts,
});

export const jobs = (count: number, prefix = 'job'): NewJob[] =>
  Array.from({ length: count }, (_, index) => sampleJob(`${prefix}-${index}`));

export const completed = (result?: unknown): JobEnd =>
  result === undefined ? { state: 'completed' } : { state: 'completed', result };

export const failed = (
  message: string,
  parts: Partial<Extract<JobEnd, { state: 'failed' }>> = {},
): JobEnd => ({
  state: 'failed',
  error: {
    ...{ code: 'EXECUTION_FAILED', message, type: 'execution', severity: 'medium' },
    ...{ recoverable: true, retryable: true, suggestions: [] },
  },
  retryable: true,
  ...parts,
});

export type Run = (job: Job, run: JobRun) => Promise<JobEnd> | JobEnd;

/** Works on the sample queue, one job at a time unless said otherwise. */
export const work = (queue: Queue, run: Run, parts: Partial<WorkOptions> = {}): QueueWorker =>
  queue.work({
    ...{ queue: QUEUE, concurrency: 1 },
    run: async (job, each) => run(job, each),
    ...parts,
  });

/** Waits until something holds. Generous, because the machine may be busy. */
export const until = (check: () => boolean | Promise<boolean>): Promise<void> =>
  expect.poll(check, { timeout: 30_000, interval: 10 }).toBe(true);

export const untilState = (queue: Queue, jobId: string, state: JobState): Promise<void> =>
  expect
    .poll(async () => (await queue.get(jobId))?.state, { timeout: 30_000, interval: 10 })
    .toBe(state);

export const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** A promise that a test settles itself. */
export const gate = (): { readonly passed: Promise<void>; open(): void } => {
  let open = (): void => undefined;
  const passed = new Promise<void>((done) => {
    open = done;
  });
  return { passed, open: () => open() };
};
