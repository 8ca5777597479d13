/** Decides what the end of an attempt makes of a job. */
import { type ToolError, toolError } from '../contract/errors.ts';
import type { JobEnd } from '../contract/queue.ts';
import type { ClaimedJob, JobChange } from './job-table.ts';

const backoffMs = ({ job, failures }: ClaimedJob): number => {
  const { initialMs, factor, maxMs } = job.backoff;
  return Math.min(maxMs, initialMs * factor ** failures);
};

export const changeOf = (claimed: ClaimedJob, end: JobEnd, now: number): JobChange => {
  if (end.state === 'completed') {
    return { state: 'completed', result: end.result, finishedAt: now };
  }
  if (end.state === 'postponed') return { state: 'waiting', runAt: now + end.retryAfterMs };
  const { error, retryable, retryAfterMs = backoffMs(claimed) } = end;
  if (!retryable || claimed.failures >= claimed.job.retries) {
    return { state: 'dead', error, finishedAt: now };
  }
  return { state: 'delayed', error, runAt: now + retryAfterMs };
};

/** The error of a job whose workers died again and again. */
export const deadlyJob = (): ToolError =>
  toolError('EXECUTION_FAILED', 'Every process that ran this job died while it did.', {
    suggestions: ['Find out why, then put the job back with requeue.'],
    retryable: false,
  });
