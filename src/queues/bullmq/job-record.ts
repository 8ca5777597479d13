/** Converts a job of the port to one of BullMQ and back. */
import type { Job as BullJob, JobsOptions } from 'bullmq';
import { type ToolError, ToolFailure, toolError } from '../../contract/errors.ts';
import type { Job, JobBackoff, JobEnd, JobState, NewJob } from '../../contract/queue.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { deadlyJob } from '../job-change.ts';
import { keyIdOf } from './queue-keys.ts';

/** A job as BullMQ keeps it: the whole record as data. */
export type StoredJob = BullJob<NewJob, unknown, string>;

/** Workers know the pause between two attempts by this name. */
export const BACKOFF = 'toolcrib';

/** Returns how BullMQ is to keep a job. */
export const optionsFor = (job: NewJob, now: number): JobsOptions => ({
  jobId: keyIdOf(job.id),
  // Priority 0 of BullMQ is a list, in which a job is found by looking at all of them.
  priority: job.priority + 1,
  timestamp: job.createdAt,
  ...(job.runAt > now && { delay: job.runAt - job.createdAt }),
  attempts: job.retries + 1,
  backoff: { type: BACKOFF },
  removeOnComplete: false,
  removeOnFail: false,
  stackTraceLimit: 0,
});

/** Milliseconds until the next attempt, after this many have failed. */
const pauseAfter = ({ initialMs, factor, maxMs }: JobBackoff, failures: number): number =>
  Math.min(maxMs, Math.round(initialMs * factor ** (failures - 1)));

const STATES: Readonly<Record<string, JobState>> = {
  waiting: 'waiting',
  prioritized: 'waiting',
  'waiting-children': 'waiting',
  delayed: 'delayed',
  active: 'active',
  completed: 'completed',
  failed: 'dead',
};

/** Returns the state of the port; `undefined` for a job that is not there. */
export const stateOf = (bullState: string): JobState | undefined =>
  Object.hasOwn(STATES, bullState) ? STATES[bullState] : undefined;

/** What BullMQ gives as the reason when the worker of a job has died too often. */
const STALLED = /^job stalled more than/;

const errorOf = (reason: string): ToolError => {
  if (STALLED.test(reason)) return deadlyJob();
  try {
    const parsed: unknown = JSON.parse(reason);
    if (isRecord(parsed) && typeof parsed.code === 'string') return parsed as unknown as ToolError;
  } catch {
    // Not written by this engine.
  }
  return toolError('EXECUTION_FAILED');
};

/** A value that was wrapped, so that none is told from 0 and null. */
const wrapped = (value: unknown, key: string): Readonly<Record<string, unknown>> =>
  isRecord(value) && Object.hasOwn(value, key) ? { [key]: value[key] } : {};

/** Makes the record of a job from what BullMQ keeps. */
export const toJob = (stored: StoredJob, state: JobState, runAt?: number): Job => {
  const { processedOn, finishedOn, failedReason } = stored;
  const isOver = state === 'completed' || state === 'dead';
  return {
    ...stored.data,
    ...(runAt !== undefined && { runAt }),
    state,
    attempts: stored.attemptsStarted,
    ...wrapped(stored.progress, 'progress'),
    ...(processedOn !== undefined && { startedAt: processedOn }),
    ...(isOver && finishedOn !== undefined && { finishedAt: finishedOn }),
    ...(state === 'completed' && wrapped(stored.returnvalue, 'result')),
    ...(state !== 'completed' && failedReason && { error: errorOf(failedReason) }),
  };
};

type FailedEnd = Extract<JobEnd, { state: 'failed' }>;

/** What is thrown to BullMQ for an attempt that failed. */
export class AttemptFailure extends Error {
  /** Milliseconds until the next attempt. */
  readonly pauseMs: number;

  constructor({ error, retryable, retryAfterMs }: FailedEnd, { data, attemptsMade }: StoredJob) {
    super(JSON.stringify(error));
    // BullMQ knows by the name that the job is not to be tried again.
    this.name = retryable ? 'AttemptFailure' : 'UnrecoverableError';
    this.pauseMs = retryAfterMs ?? pauseAfter(data.backoff, attemptsMade + 1);
  }
}

/** Throws for a record that JSON cannot hold. */
export const assertPlain = (job: NewJob): void => {
  try {
    JSON.stringify(job);
  } catch {
    throw new ToolFailure('VALIDATION_ERROR', `The job ${job.id} is not plain JSON.`, {
      suggestions: ['Pass strings, numbers, booleans, null, arrays and plain objects as payload.'],
    });
  }
};
