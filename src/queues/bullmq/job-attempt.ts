/**
 * One attempt at a job: runs the handler while the worker holds the lock. Can be told to stop, and can
 * be given back to the queue before its handler has ended.
 */
import { toolError } from '../../contract/errors.ts';
import type { JobEnd, JobRun, WorkOptions } from '../../contract/queue.ts';
import { thrownTrace } from '../../kit/data/reason-of.ts';
import type { BullmqDeps } from './bullmq-deps.ts';
import { type StoredJob, toJob } from './job-record.ts';
import { runScript } from './redis-scripts.ts';

/** How the attempt ended; nothing where it was given back. */
export type AttemptEnd = JobEnd | 'released';

type HeldScript = 'toolcribReportProgress' | 'toolcribUncountAttempt';

export interface HeldJob {
  readonly job: StoredJob;
  readonly keyId: string;
  /** What the lock holds while it is this worker's. */
  readonly token: string;
}

export class JobAttempt {
  readonly keyId: string;
  readonly #held: HeldJob;
  readonly #deps: BullmqDeps;
  readonly #controller = new AbortController();
  readonly #released: Promise<'released'>;
  #release = (): void => undefined;
  #givingBack: Promise<void> | undefined;
  /** Resolves when `end` is called. */
  readonly ended: Promise<void>;
  end = (): void => undefined;

  constructor(held: HeldJob, deps: BullmqDeps) {
    this.keyId = held.keyId;
    this.#held = held;
    this.#deps = deps;
    this.ended = new Promise((done) => {
      this.end = done;
    });
    this.#released = new Promise((done) => {
      this.#release = () => done('released');
    });
  }

  get isAborted(): boolean {
    return this.#controller.signal.aborted;
  }

  abort(): void {
    this.#controller.abort();
  }

  /** Makes the job wait for another worker without counting the attempt. Refused when the lock is lost. */
  giveBack(): Promise<void> {
    this.#givingBack ??= this.#moveToWait();
    return this.#givingBack;
  }

  async #moveToWait(): Promise<void> {
    this.#release();
    await this.#write('toolcribUncountAttempt');
    await this.#held.job.moveToWait(this.#held.token);
  }

  /** Makes the job wait for a while without counting the attempt. Refused when the lock is lost. */
  async postpone(ms: number): Promise<void> {
    const { job, token } = this.#held;
    await this.#write('toolcribUncountAttempt');
    await job.moveToDelayed(this.#deps.runtime.now() + ms, token);
  }

  /** Runs the handler. What it throws by mistake is an end, too. */
  async run(options: WorkOptions): Promise<AttemptEnd> {
    const run: JobRun = {
      signal: this.#controller.signal,
      progress: (value) => this.#report(value),
    };
    const job = toJob(this.#held.job, 'active');
    const end = Promise.resolve()
      .then(() => options.run(job, run))
      .catch((error: unknown): JobEnd => {
        this.#deps.runtime.log.error(`A handler of the queue ${options.queue} threw.`, {
          cause: thrownTrace(error),
        });
        return { state: 'failed', error: toolError('INTERNAL'), retryable: true };
      });
    return Promise.race([end, this.#released]);
  }

  /** Writes progress, unless the job is not this worker's any more. */
  async #report(value: unknown): Promise<void> {
    if (this.isAborted) return;
    await this.#write('toolcribReportProgress', JSON.stringify({ progress: value }));
  }

  /** Writes to the record of the job; nothing when the lock is lost. */
  async #write(script: HeldScript, ...values: readonly string[]): Promise<void> {
    const { connections, keys } = this.#deps;
    const { job, keyId, token } = this.#held;
    const names = [keys.jobOf(job.data.queue, keyId), keys.lockOf(job.data.queue, keyId)];
    await runScript(connections.workerClient(), script, [...names, token, ...values]);
  }
}
