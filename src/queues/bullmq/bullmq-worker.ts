/**
 * Works on the jobs of one queue. BullMQ hands them out and holds their locks; a lock that is lost, to
 * another worker or to a cancellation, fires the signal of the attempt and makes its end void.
 */
import type { Worker as BullWorker, WorkerOptions } from 'bullmq';
import type { NewJob, QueueWorker, WorkOptions } from '../../contract/queue.ts';
import { propertyOf, thrownText } from '../../kit/data/reason-of.ts';
import { PUT_ASIDE_MS } from '../last-chances.ts';
import { type BullmqDeps, indexed } from './bullmq-deps.ts';
import { JobAttempt } from './job-attempt.ts';
import { AttemptFailure, type StoredJob } from './job-record.ts';
import { keyNameOf } from './queue-keys.ts';
import { isRedisError } from './redis-failure.ts';

/** A lock that is not renewed ends after this time; the check comes on top. */
const LOCK_MS = 3_000;
const CHECK_MS = 700;
/** The third death of its worker makes a job dead. */
const MAX_DEATHS = 2;
/** How long a job that may kill its worker waits until others were put aside. */
const SETTLE_MS = 500;
const DEFAULT_GRACE_MS = 10_000;
/** How long a handler has to end after its signal has fired. */
const SOON_MS = 1_000;
/** How long the ends of attempts may take to be written. */
const WRITE_MS = 5_000;
/** How long an idle worker waits at most before it looks again, in seconds. */
const IDLE_SECONDS = 2;
/** How long a worker waits before it asks again after a lost connection. */
const RECONNECT_MS = 500;
/** The pause after an end that could not be written as JSON. */
const DEFAULT_PAUSE_MS = 1_000;

const optionsOf = (
  { connections, keys }: BullmqDeps,
  { concurrency, rate }: WorkOptions,
): WorkerOptions => ({
  connection: connections.workerClient(),
  prefix: keys.prefix,
  concurrency,
  ...(rate && { limiter: { max: rate.max, duration: rate.perMs } }),
  lockDuration: LOCK_MS,
  lockRenewTime: LOCK_MS / 3,
  stalledInterval: CHECK_MS,
  maxStalledCount: MAX_DEATHS,
  drainDelay: IDLE_SECONDS,
  runRetryDelay: RECONNECT_MS,
  settings: {
    backoffStrategy: (_failures, _type, error) =>
      error instanceof AttemptFailure ? error.pauseMs : DEFAULT_PAUSE_MS,
  },
});

export class BullmqWorker implements QueueWorker {
  readonly #deps: BullmqDeps;
  readonly #options: WorkOptions;
  readonly #attempts = new Set<JobAttempt>();
  readonly #worker: BullWorker<NewJob, unknown, string>;
  #isStopping = false;
  #closing: Promise<void> | undefined;

  constructor(options: WorkOptions, deps: BullmqDeps) {
    this.#deps = deps;
    this.#options = options;
    this.#worker = new deps.bullmq.Worker(
      keyNameOf(options.queue),
      (job: StoredJob, token = '') => this.#process(job, token),
      optionsOf(deps, options),
    );
    this.#worker.on('lockRenewalFailed', (keyIds) => {
      for (const keyId of keyIds) this.abort(keyId);
    });
    this.#worker.on('error', (error) => this.#log(error));
  }

  /** Fires the signals of attempts at a job that is not this worker's any more. */
  abort(keyId: string): void {
    for (const attempt of this.#attempts) if (attempt.keyId === keyId) attempt.abort();
  }

  close(graceMs = DEFAULT_GRACE_MS): Promise<void> {
    this.#closing ??= this.#shutDown(graceMs);
    return this.#closing;
  }

  async #shutDown(graceMs: number): Promise<void> {
    const closed = this.#worker.close().catch(() => undefined);
    await this.#atMost(graceMs, Promise.race([closed, this.#idle()]));
    this.#isStopping = true;
    for (const attempt of this.#attempts) attempt.abort();
    await this.#atMost(SOON_MS, Promise.race([closed, this.#idle()]));
    const left = Array.from(this.#attempts, (attempt) => attempt.giveBack());
    await this.#atMost(SOON_MS, Promise.allSettled(left));
    // Ends are being written. Without a connection none can be.
    const isConnected = this.#deps.connections.workerClient().status === 'ready';
    await this.#atMost(isConnected ? WRITE_MS : 0, closed);
  }

  /** Resolves when no handler runs. */
  async #idle(): Promise<void> {
    while (this.#attempts.size > 0) {
      await Promise.race(Array.from(this.#attempts, ({ ended }) => ended));
    }
  }

  async #process(job: StoredJob, token: string): Promise<unknown> {
    const keyId = job.id ?? '';
    if (!(await this.#isOurs(job, keyId))) {
      // Removed by the transaction that ends it, if the lock is still this worker's.
      job.opts.removeOnComplete = true;
      return undefined;
    }
    // An older attempt of this process at the same job has lost it.
    this.abort(keyId);
    const attempt = new JobAttempt({ job, keyId, token }, this.#deps);
    if (this.#closing) {
      await attempt.giveBack();
      throw new this.#deps.bullmq.WaitingError();
    }
    this.#attempts.add(attempt);
    try {
      if (job.stalledCounter >= MAX_DEATHS) await this.#takeLastChance(attempt);
      return await this.#endOf(attempt, job);
    } finally {
      this.#attempts.delete(attempt);
      this.#deps.lastChances.giveBack(keyId);
      attempt.end();
    }
  }

  /** Waits until others were put aside that would be given up with this job; puts it aside where one runs. */
  async #takeLastChance(attempt: JobAttempt): Promise<void> {
    if (this.#deps.lastChances.take(attempt.keyId)) {
      await new Promise<void>((done) => void this.#deps.runtime.after(SETTLE_MS, done));
      return;
    }
    await attempt.postpone(PUT_ASIDE_MS);
    throw new this.#deps.bullmq.DelayedError();
  }

  /** Returns the result for BullMQ to keep, or throws what tells it what else to do. */
  async #endOf(attempt: JobAttempt, job: StoredJob): Promise<unknown> {
    const end = await attempt.run(this.#options);
    if (end === 'released') throw new this.#deps.bullmq.WaitingError();
    if (end.state === 'completed') return 'result' in end ? { result: end.result } : {};
    if (end.state === 'postponed') {
      await attempt.postpone(end.retryAfterMs);
      throw new this.#deps.bullmq.DelayedError();
    }
    if (!this.#isStopping || !attempt.isAborted) throw new AttemptFailure(end, job);
    // Interrupted by the end of this worker, so that it does not count as a failure.
    await attempt.giveBack();
    throw new this.#deps.bullmq.WaitingError();
  }

  /** Tells whether the worker may run a job: it was not cancelled, and belongs to this queue. */
  async #isOurs(job: StoredJob, keyId: string): Promise<boolean> {
    const client = this.#deps.connections.workerClient();
    const [[entry], isCancelled] = await Promise.all([
      indexed(this.#deps, [keyId], client),
      client.hexists(this.#deps.keys.cancelled, keyId),
    ]);
    return entry?.queue === job.data.queue && isCancelled === 0;
  }

  #log(error: unknown): void {
    // The connection logs its own errors; a number is the answer to a late end, which is refused.
    if (isRedisError(error) || typeof propertyOf(error, 'code') === 'number') return;
    this.#deps.runtime.log.debug(
      `Worker of the queue ${this.#options.queue}: ${thrownText(error)}`,
    );
  }

  /** Waits for a promise, but not longer than so many milliseconds. */
  async #atMost(ms: number, promise: Promise<unknown>): Promise<void> {
    await new Promise<void>((done) => {
      const timer = this.#deps.runtime.after(ms, done);
      void promise.finally(() => {
        timer.cancel();
        done();
      });
    });
  }
}
