/**
 * Jobs for programs without workers of their own: QStash keeps each job, posts it to `/jobs/<type>` of a
 * server of ours and tries again when that fails. What waits is known to QStash alone.
 */
import { ToolFailure, toolError } from '../../contract/errors.ts';
import type { Job, JobEnd, NewJob, Queue, WorkOptions } from '../../contract/queue.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { sha256Hex } from '../../kit/data/canonical-json.ts';
import { type PublishDeps, publishMessage } from './publish-message.ts';

export interface QstashQueueDeps extends PublishDeps {
  readonly runtime: Runtime;
  /** The address of our server as QStash reaches it, without a slash at its end. */
  readonly endpoint: string;
}

/** Each message costs money, and a person takes a while to approve. */
const MIN_POSTPONED_MS = 60_000;

const unknownHere = (): Promise<never> =>
  Promise.reject(
    new ToolFailure('PRECONDITION_FAILED', 'Jobs that wait are known to QStash alone.', {
      suggestions: [
        'Look at the console of QStash, or choose a queue on Redis to see and change jobs here.',
      ],
    }),
  );

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

export class QstashQueue implements Queue {
  readonly #deps: QstashQueueDeps;
  readonly #handlers = new Map<string, WorkOptions>();
  readonly #running = new Set<Promise<JobEnd>>();
  readonly #stopping = new AbortController();

  constructor(deps: QstashQueueDeps) {
    this.#deps = deps;
  }

  /** Publishes jobs one by one. A repeated call is harmless: QStash knows the ids. */
  async add(jobs: readonly NewJob[]): Promise<readonly boolean[]> {
    this.#assertOpen();
    for (const job of jobs) await this.#publish(job, sha256Hex(job.id));
    return jobs.map(() => true);
  }

  work(options: WorkOptions) {
    this.#assertOpen();
    this.#handlers.set(options.queue, options);
    return {
      close: async (graceMs?: number) => {
        if (this.#handlers.get(options.queue) === options) this.#handlers.delete(options.queue);
        await this.#drain(graceMs);
      },
    };
  }

  /** Runs a job that QStash has posted. One that is postponed is published again. */
  async deliver(job: NewJob, attempts: number): Promise<JobEnd> {
    this.#assertOpen();
    const handler = this.#handlers.get(job.queue);
    if (!handler) return notWorking(job);
    const started: Job = {
      ...job,
      ...{ state: 'active', attempts, startedAt: this.#deps.runtime.now() },
    };
    const running = handler.run(started, {
      signal: this.#stopping.signal,
      progress: async () => undefined,
    });
    this.#running.add(running);
    const end = await running.finally(() => this.#running.delete(running));
    if (end.state === 'postponed') {
      const now = this.#deps.runtime.now();
      const runAt = now + Math.max(end.retryAfterMs, MIN_POSTPONED_MS);
      await this.#publish({ ...job, runAt }, sha256Hex(`${job.id} ${now}`));
    }
    return end;
  }

  get = unknownHere;
  list = unknownHere;
  cancel = unknownHere;
  requeue = unknownHere;
  remove = unknownHere;
  setSchedule = unknownHere;
  schedules = unknownHere;
  removeSchedule = unknownHere;

  async counts(): Promise<Readonly<Record<string, never>>> {
    return {};
  }

  async expire(): Promise<number> {
    return 0;
  }

  async close(): Promise<void> {
    await this.#drain();
    this.#stopping.abort();
  }

  #assertOpen(): void {
    if (!this.#stopping.signal.aborted) return;
    throw new ToolFailure('STORE_UNAVAILABLE', 'The queue is closed.');
  }

  async #publish(job: NewJob, deduplicationId: string): Promise<void> {
    const waitMs = job.runAt - this.#deps.runtime.now();
    await publishMessage(
      {
        url: deliveryUrl(this.#deps.endpoint, job.type),
        body: JSON.stringify(job),
        retries: job.retries,
        delaySeconds: Math.max(0, Math.ceil(waitMs / 1_000)),
        deduplicationId,
      },
      this.#deps,
    );
  }

  /** Waits for what runs, then fires the signals. */
  async #drain(graceMs = 10_000): Promise<void> {
    if (this.#running.size === 0) return;
    await new Promise<void>((done) => {
      const timer = this.#deps.runtime.after(graceMs, () => {
        this.#stopping.abort();
        done();
      });
      void Promise.allSettled(this.#running).then(() => {
        timer.cancel();
        done();
      });
    });
  }
}
