/** Runs the jobs of one queue in this process, as many at once as it may. */
import { toolError } from '../contract/errors.ts';
import type { JobEnd, JobRun, QueueWorker, WorkOptions } from '../contract/queue.ts';
import type { Runtime } from '../contract/runtime.ts';
import { errorCodeOf, reasonOf } from '../kit/data/reason-of.ts';
import { changeOf } from './job-change.ts';
import type { ClaimedJob, JobChange, JobClaim, JobTable } from './job-table.ts';
import { type LastChances, PUT_ASIDE_MS } from './last-chances.ts';

export interface EmbeddedWorkerDeps {
  readonly table: JobTable;
  readonly runtime: Runtime;
  /** Shared by all workers of the process. */
  readonly lastChances: LastChances;
  /** Is told when the worker should look again although nobody adds a job. */
  lookAt(moment: number): void;
  closed(worker: EmbeddedWorker): void;
}

const GRACE_MS = 10_000;
/** How long a handler may take after its signal before its job is given to others. */
const SETTLE_MS = 1_000;
const RETRY_MS = 1_000;

/** A job that runs here. Its signal is made when first asked for: most handlers never do. */
class ActiveJob implements JobRun {
  readonly claimed: ClaimedJob;
  readonly #table: JobTable;
  #controller: AbortController | undefined;
  /** Another worker has the job, or nobody: its end is of no interest. */
  isLost = false;
  isAborted = false;

  constructor(claimed: ClaimedJob, table: JobTable) {
    this.claimed = claimed;
    this.#table = table;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.isAborted) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  /** A field, so that a handler may hand it on by itself. */
  readonly progress = async (value: unknown): Promise<void> => {
    if (!this.isLost) await this.#table.progress(this.claimed.claim, value);
  };

  abort(): void {
    this.isAborted = true;
    this.#controller?.abort();
  }
}

const thrown = (error: unknown): JobEnd => ({
  state: 'failed',
  error: toolError('EXECUTION_FAILED', `The handler failed: ${reasonOf(error)}`),
  retryable: true,
});

/** Ends a job whose own end cannot be kept, as when its result is no JSON. */
const unkeepable = (why: string, finishedAt: number): JobChange => ({
  state: 'dead',
  error: toolError('EXECUTION_FAILED', `The result cannot be kept: ${why}`),
  finishedAt,
});

export class EmbeddedWorker implements QueueWorker {
  readonly queue: string;
  readonly #options: WorkOptions;
  readonly #deps: EmbeddedWorkerDeps;
  readonly #active = new Set<ActiveJob>();
  readonly #writes = new Set<Promise<void>>();
  #filling: Promise<void> | undefined;
  #fillAgain = false;
  #closing: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  constructor(options: WorkOptions, deps: EmbeddedWorkerDeps) {
    this.queue = options.queue;
    this.#options = options;
    this.#deps = deps;
  }

  /** Takes jobs for the slots that are free. Never rejects. */
  fill(): void {
    if (this.#closing) return;
    if (this.#filling) {
      this.#fillAgain = true;
      return;
    }
    if (this.#free() <= 0) return;
    this.#filling = this.#take().finally(() => {
      this.#filling = undefined;
      if (!this.#fillAgain) return;
      this.#fillAgain = false;
      this.fill();
    });
  }

  claims(): readonly JobClaim[] {
    return Array.from(this.#active, ({ claimed }) => claimed.claim);
  }

  /** Fires the signal of a job that belongs to this worker no more. */
  drop({ id, epoch }: Pick<JobClaim, 'id'> & Partial<JobClaim>): void {
    for (const active of this.#active) {
      const { claim } = active.claimed;
      if (claim.id !== id || (epoch !== undefined && claim.epoch !== epoch)) continue;
      active.isLost = true;
      active.abort();
    }
  }

  close(graceMs = GRACE_MS): Promise<void> {
    this.#closing ??= this.#shutDown(graceMs);
    return this.#closing;
  }

  #free(): number {
    return this.#options.concurrency - this.#active.size;
  }

  async #take(): Promise<void> {
    const { table, runtime, lookAt } = this.#deps;
    const { queue, rate } = this.#options;
    const request = { queue, now: () => runtime.now(), limit: () => this.#free() };
    try {
      const { jobs, nextAt } = await table.claim(rate ? { ...request, rate } : request);
      for (const claimed of await this.#admitted(jobs)) this.#begin(claimed);
      if (nextAt !== undefined) lookAt(nextAt);
    } catch (error) {
      runtime.log.warn('No jobs could be taken.', { queue, error: reasonOf(error) });
      lookAt(runtime.now() + RETRY_MS);
    }
  }

  /** Puts jobs aside that would be given up with one that kills its worker, before that one begins. */
  async #admitted(jobs: readonly ClaimedJob[]): Promise<readonly ClaimedJob[]> {
    const { runtime, lastChances } = this.#deps;
    const admitted: ClaimedJob[] = [];
    const others: ClaimedJob[] = [];
    for (const each of jobs) {
      const isAdmitted = !each.isLastChance || lastChances.take(each.job.id);
      (isAdmitted ? admitted : others).push(each);
    }
    const runAt = runtime.now() + PUT_ASIDE_MS;
    await Promise.all(others.map(({ claim }) => this.#record(claim, { state: 'waiting', runAt })));
    return admitted;
  }

  #begin(claimed: ClaimedJob): void {
    const active = new ActiveJob(claimed, this.#deps.table);
    this.#active.add(active);
    // The worker was closed while the job was on its way.
    if (this.#closing) active.abort();
    void this.#run(active);
  }

  async #run(active: ActiveJob): Promise<void> {
    let end: JobEnd;
    try {
      end = await this.#options.run(active.claimed.job, active);
    } catch (error) {
      end = thrown(error);
    }
    this.#active.delete(active);
    this.#deps.lastChances.giveBack(active.claimed.job.id);
    if (!active.isLost) this.#end(active, end);
    this.fill();
    if (this.#active.size === 0) this.#onIdle?.();
  }

  #end({ claimed, isAborted }: ActiveJob, end: JobEnd): void {
    const isInterrupted = isAborted && end.state !== 'completed';
    const change: JobChange = isInterrupted
      ? { state: 'waiting' }
      : changeOf(claimed, end, this.#deps.runtime.now());
    this.#write(claimed.claim, change);
  }

  #write(claim: JobClaim, change: JobChange): void {
    const write = this.#record(claim, change).finally(() => this.#writes.delete(write));
    this.#writes.add(write);
  }

  /** Writes the end of an attempt, again and again while the store fails. */
  async #record(claim: JobClaim, change: JobChange): Promise<void> {
    const { table, runtime, lookAt } = this.#deps;
    try {
      const isWritten = await table.end(claim, change);
      if (!isWritten) runtime.log.warn('The end of a job came too late.', { jobId: claim.id });
      else if (change.state === 'delayed') lookAt(change.runAt);
      else if (change.state === 'waiting') lookAt(change.runAt ?? runtime.now());
    } catch (error) {
      const why = reasonOf(error);
      runtime.log.error('The end of a job was not written.', { jobId: claim.id, error: why });
      if (errorCodeOf(error) === 'STORE_UNAVAILABLE') await this.#recordLater(claim, change);
      else if (change.state !== 'dead') await this.#record(claim, unkeepable(why, runtime.now()));
    }
  }

  async #recordLater(claim: JobClaim, change: JobChange): Promise<void> {
    if (this.#closing) return;
    await new Promise<void>((done) => void this.#deps.runtime.after(RETRY_MS, done));
    await this.#record(claim, change);
  }

  async #shutDown(graceMs: number): Promise<void> {
    await this.#filling;
    await this.#idleWithin(graceMs);
    for (const active of this.#active) active.abort();
    await this.#idleWithin(SETTLE_MS);
    for (const active of this.#active) {
      active.isLost = true;
      this.#write(active.claimed.claim, { state: 'waiting' });
    }
    await Promise.all(this.#writes);
    this.#deps.closed(this);
  }

  #idleWithin(ms: number): Promise<void> {
    if (this.#active.size === 0) return Promise.resolve();
    return new Promise((done) => {
      const timer = this.#deps.runtime.after(ms, done);
      this.#onIdle = () => {
        timer.cancel();
        done();
      };
    });
  }
}
