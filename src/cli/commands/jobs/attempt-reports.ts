/**
 * What a worker says about the attempts that it makes: a line and fields for the log. A job that waits is looked
 * at again every few seconds, which is no attempt and said once.
 */
import { LRUCache } from 'lru-cache';
import { type Job, type JobEnd, traceIdOf } from '../../../contract/queue.ts';
import { visibleJson, visibleText } from '../../../kit/text/visible-text.ts';
import { type Io, print } from '../../io.ts';
import { errorText } from './job-text.ts';

/** How many waiting jobs are remembered; one that is forgotten is reported again. */
const MAX_WAITING = 10_000;

const waitText = ({ reason, approvalId }: JobEnd & { state: 'postponed' }): string =>
  approvalId === undefined
    ? `postponed${reason === undefined ? '' : `: ${reason}`}`
    : `waits for a person: toolcrib approvals show ${approvalId}`;

const endText = (end: JobEnd): string => {
  if (end.state === 'completed') return 'completed';
  if (end.state === 'postponed') return waitText(end);
  const { error, retryable } = end;
  return `failed${retryable ? '' : ' for good'}: ${errorText(error)}`;
};

/** Lists what a line of JSON and the log say about an end. */
const endFields = (end: JobEnd) => ({
  ...(end.state === 'failed' && { code: end.error.code }),
  ...(end.state === 'postponed' && end.approvalId !== undefined && { approvalId: end.approvalId }),
});

/** Prints one line for each attempt; with `--json` as JSON, without characters a terminal obeys. */
export const printAttempt = (io: Io, { id, type, queue, attempts }: Job, end: JobEnd): void => {
  if (io.json) {
    const line = { id, type, queue, attempt: attempts, end: end.state, ...endFields(end) };
    print(io, visibleJson(JSON.stringify(line)));
  } else print(io, visibleText(`${type} ${id} ${endText(end)}`));
};

/** Lists the fields of the log line; ids lead to the calls that the job made. */
export const attemptFields = (job: Job, end: JobEnd) => ({
  type: job.type,
  queue: job.queue,
  attempt: job.attempts,
  state: end.state,
  ...endFields(end),
  ...(end.state === 'failed' && { retryable: end.retryable }),
  jobId: job.id,
  traceId: traceIdOf(job),
  callerId: job.caller.userId,
  ...(job.scheduleId !== undefined && { scheduleId: job.scheduleId }),
});

/** Counts the attempts of a worker, and tells which of their ends are news. */
export class AttemptReports {
  readonly #waits = new LRUCache<string, string>({ max: MAX_WAITING });
  /** Attempts that ended; what was only postponed is none. */
  count = 0;

  /** Tells whether an end is to be reported: a job that still waits for the same was reported before. */
  isNews({ id }: Job, end: JobEnd): boolean {
    if (end.state !== 'postponed') {
      this.count += 1;
      this.#waits.delete(id);
      return true;
    }
    const text = waitText(end);
    if (this.#waits.get(id) === text) return false;
    this.#waits.set(id, text);
    return true;
  }
}
