/**
 * Jobs for programs without workers of their own: QStash keeps each job, posts it to `/jobs/<type>` of a
 * server of ours and tries again when that fails. What waits is known to QStash alone, and asked there.
 */
import { ToolFailure, toolError } from '../../contract/errors.ts';
import {
  type Job,
  type JobEnd,
  type JobFilter,
  type JobSchedule,
  MAX_JOB_BYTES,
  type NewJob,
  type Queue,
  type QueueAbility,
  type QueueWorker,
  type StoredSchedule,
  type WorkOptions,
} from '../../contract/queue.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { sha256Hex } from '../../kit/data/canonical-json.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { findJob, labelOf, listJobs } from './job-events.ts';
import { publishMessage } from './publish-message.ts';
import { askQstash, type QstashApiDeps, type QstashRequest } from './qstash-api.ts';
import { deleteSchedule, jobOfMoment, putSchedule, readSchedules } from './qstash-schedules.ts';
import { QstashWorker } from './qstash-worker.ts';

export interface QstashQueueDeps extends QstashApiDeps {
  readonly runtime: Runtime;
  /** The address of our server as QStash reaches it, without a slash at its end. */
  readonly endpoint: string;
}

/** Each message costs money, and a person takes a while to approve. */
const MIN_POSTPONED_MS = 60_000;

const cannot = (message: string): ToolFailure =>
  new ToolFailure('PRECONDITION_FAILED', message, {
    suggestions: ['Look at the console of QStash, or choose a queue on Redis.'],
  });

/** The server would refuse its delivery each time. */
const tooLarge = (): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', `A job has more than ${MAX_JOB_BYTES} bytes.`, {
    suggestions: ['Keep what is large elsewhere and name it in the payload.'],
  });

const notWorking = ({ queue }: NewJob): JobEnd => ({
  state: 'failed',
  error: toolError('NOT_FOUND', `This process does not work on the queue ${queue}.`, {
    suggestions: ['Call jobs.work in the process that QStash posts to.'],
  }),
  retryable: true,
});

/** The address that QStash posts a job to; part of what it signs. */
export const deliveryUrl = (endpoint: string, type: string): string =>
  `${endpoint}/jobs/${encodeURIComponent(type)}`;

export const QSTASH_LACKS = {
  backlog: 'QStash posts a job as soon as it is due; it waits for no worker.',
  counts: 'QStash does not count jobs by their state.',
  record: 'QStash keeps no results, no progress, and reasons of failures in its own log alone.',
  order: 'QStash delivers in an order of its own.',
  pauses: 'QStash waits whole seconds, and between retries by a schedule of its own.',
  slots: 'How many jobs are delivered at once is set at QStash.',
  cancelRunning: 'QStash cannot call back a delivery that runs.',
  forget: 'QStash keeps no cancelled jobs, and forgets finished ones by itself and not before.',
  seconds: 'Patterns of QStash have no field of seconds.',
} as const satisfies Record<QueueAbility, string>;

export class QstashQueue implements Queue {
  readonly lacks = QSTASH_LACKS;
  readonly #deps: QstashQueueDeps & { now(): number };
  /** The newest worker of each queue gets its jobs. */
  readonly #workers = new Map<string, QstashWorker>();
  /** Those too that were replaced, and still run jobs. */
  readonly #open = new Set<QstashWorker>();
  #closing: Promise<void> | undefined;

  constructor(deps: QstashQueueDeps) {
    this.#deps = { ...deps, now: () => deps.runtime.now() };
  }

  /**
   * Publishes jobs one by one. A repeated call is harmless: QStash knows the ids of some minutes. A key may come
   * again much later, so the log is asked for its job.
   */
  async add(jobs: readonly NewJob[]): Promise<readonly boolean[]> {
    this.#assertOpen();
    const isNew: boolean[] = [];
    for (const job of jobs) {
      if (job.idempotencyKey !== undefined && (await this.get(job.id)) !== undefined) {
        isNew.push(false);
        continue;
      }
      const published = await this.#publish(job, sha256Hex(job.id));
      // One that the log does not show yet was added a moment ago, and most likely by the same caller.
      isNew.push(published.isNew || (await this.get(job.id)) === undefined);
    }
    return isNew;
  }

  async get(jobId: string): Promise<Job | undefined> {
    return findJob(jobId, this.#opened());
  }

  async list(filter: JobFilter = {}): Promise<readonly Job[]> {
    return listJobs(filter, this.#opened());
  }

  /** Cancels at QStash. A delivery that runs at this moment runs to its end. */
  async cancel(jobId: string): Promise<boolean> {
    const state = (await this.get(jobId))?.state;
    if (state === undefined || /completed|dead|cancelled/.test(state)) return false;
    return this.#changed('cancelled', { method: 'DELETE', path: 'messages' }, jobId);
  }

  /** Publishes a dead job again. One that was cancelled is gone at QStash. */
  async requeue(jobId: string): Promise<boolean> {
    const state = (await this.get(jobId))?.state;
    if (state === 'cancelled') throw cannot(QSTASH_LACKS.forget);
    if (state !== 'dead') return false;
    return this.#changed('responses', { method: 'POST', path: 'dlq/retry' }, jobId);
  }

  /** Removes a dead job, or one that waits. QStash forgets the others by itself. */
  async remove(jobId: string): Promise<boolean> {
    const state = (await this.get(jobId))?.state;
    if (state === 'dead') {
      return this.#changed('deleted', { method: 'DELETE', path: 'dlq' }, jobId);
    }
    if (state === 'waiting' || state === 'delayed') return this.cancel(jobId);
    if (state === 'completed' || state === 'cancelled') {
      throw cannot(QSTASH_LACKS.forget);
    }
    return false;
  }

  async setSchedule(schedule: JobSchedule): Promise<StoredSchedule> {
    const url = deliveryUrl(this.#deps.endpoint, schedule.job.type);
    return putSchedule(schedule, url, this.#opened());
  }

  async schedules(): Promise<readonly StoredSchedule[]> {
    return readSchedules(this.#opened());
  }

  async removeSchedule(scheduleId: string): Promise<boolean> {
    return deleteSchedule(scheduleId, this.#opened());
  }

  work(options: WorkOptions): QueueWorker {
    this.#assertOpen();
    const worker = new QstashWorker(options, this.#deps.runtime);
    this.#workers.set(options.queue, worker);
    this.#open.add(worker);
    return {
      close: async (graceMs) => {
        if (this.#workers.get(options.queue) === worker) this.#workers.delete(options.queue);
        await worker.close(graceMs);
        this.#open.delete(worker);
      },
    };
  }

  /**
   * Runs a job that QStash has posted. One that is postponed is published again; for the message of a schedule,
   * the job of the moment is.
   */
  async deliver(job: NewJob, attempts: number): Promise<JobEnd> {
    this.#assertOpen();
    const made = jobOfMoment(job, this.#deps.now());
    if (made) {
      await this.#publish(made, sha256Hex(made.id));
      return { state: 'completed' };
    }
    const worker = this.#workers.get(job.queue);
    if (!worker) return notWorking(job);
    const end = await worker.run({
      ...job,
      state: 'active',
      attempts,
      startedAt: this.#deps.now(),
    });
    if (end.state === 'postponed') {
      const now = this.#deps.now();
      const runAt = now + Math.max(end.retryAfterMs, MIN_POSTPONED_MS);
      await this.#publish({ ...job, runAt }, sha256Hex(`${job.id} ${now}`));
    }
    return end;
  }

  counts(): Promise<never> {
    return Promise.reject(cannot(QSTASH_LACKS.counts));
  }

  async expire(): Promise<number> {
    return 0;
  }

  close(): Promise<void> {
    this.#closing ??= Promise.all(Array.from(this.#open, (worker) => worker.close())).then(
      () => undefined,
    );
    return this.#closing;
  }

  #opened(): QstashQueueDeps & { now(): number } {
    this.#assertOpen();
    return this.#deps;
  }

  #assertOpen(): void {
    if (!this.#closing) return;
    throw new ToolFailure('STORE_UNAVAILABLE', 'The queue is closed.');
  }

  /** Changes the messages of a job; true when the answer says that there were some. */
  async #changed(field: string, request: QstashRequest, jobId: string): Promise<boolean> {
    const query = { label: labelOf(jobId), count: 100 };
    const answer = await askQstash({ ...request, query }, this.#deps);
    const changed = isRecord(answer) ? answer[field] : undefined;
    return Array.isArray(changed) ? changed.length > 0 : Number(changed) > 0;
  }

  async #publish(job: NewJob, deduplicationId: string): Promise<{ readonly isNew: boolean }> {
    const body = JSON.stringify(job);
    if (Buffer.byteLength(body) > MAX_JOB_BYTES) throw tooLarge();
    const waitMs = job.runAt - this.#deps.now();
    return publishMessage(
      {
        url: deliveryUrl(this.#deps.endpoint, job.type),
        body,
        retries: job.retries,
        delaySeconds: Math.max(0, Math.ceil(waitMs / 1_000)),
        deduplicationId,
        label: labelOf(job.id),
      },
      this.#deps,
    );
  }
}
