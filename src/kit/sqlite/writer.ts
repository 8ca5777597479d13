/**
 * Runs all writes of a database. Those of the same turn of the event loop share one transaction and so
 * one sync to disk. A write that fails does not fail others, a locked database is waited for without
 * blocking the process, and no transaction is ever left open.
 */
import type { Durability } from '../../contract/audit.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { closedFailure } from '../data/store-refusals.ts';
import type { CommitSync } from './commit-sync.ts';
import type { Database, Statement } from './open-database.ts';
import { isLocked, storeFailure } from './store-failure.ts';

export interface WriterOptions {
  readonly database: Database;
  readonly runtime: Runtime;
  /** How long to wait for another process that holds the lock. */
  readonly lockTimeoutMs: number;
  /** How commits reach the disk. */
  readonly sync: CommitSync;
  /** Runs before each transaction, with what its rows have to survive; a throw refuses it. */
  readonly assertUsable?: (durability: Durability) => void;
}

interface Job {
  readonly durability: Durability;
  work(): unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface Failure {
  readonly error: unknown;
  /** The job that threw; none when it was the transaction itself. */
  readonly failedJob?: Job;
  /** The transaction did not even start, so it cannot be the fault of one job. */
  readonly refused?: boolean;
}

const isSynced = ({ durability }: Job): boolean => durability === 'synced';

/** The longest pause between two tries for a lock. */
const MAX_LOCK_PAUSE_MS = 10;

export class Writer {
  readonly #options: WriterOptions;
  readonly #begin: Statement;
  readonly #commit: Statement;
  #queue: Job[] = [];
  #scheduled = false;
  #closed = false;
  #lockedSince: number | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#begin = options.database.prepare('BEGIN IMMEDIATE');
    this.#commit = options.database.prepare('COMMIT');
  }

  /**
   * Runs the work in a transaction and resolves when that is durable. The work is synchronous and may run
   * again when another write of its transaction fails, so it must not keep state outside.
   */
  write<T>(work: () => T, durability: Durability = 'synced'): Promise<T> {
    if (this.#closed) return Promise.reject(closedFailure());
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, durability, resolve: resolve as Job['resolve'], reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      setImmediate(this.#flush);
    });
  }

  /** Reads what is committed, at once. */
  async read<T>(work: () => T): Promise<T> {
    if (this.#closed) throw closedFailure();
    try {
      return work();
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** Resolves when everything that can be read is on disk. */
  settle(): Promise<void> {
    return this.#options.sync.settle();
  }

  /** Finishes what is pending, runs the last work, then refuses everything. */
  async close(last: () => void): Promise<void> {
    const done = this.write(last);
    this.#closed = true;
    try {
      await done;
    } finally {
      await this.#options.sync.close();
    }
  }

  readonly #flush = (): void => {
    this.#scheduled = false;
    const jobs = this.#queue;
    this.#queue = [];
    const failure = jobs.length > 0 ? this.#transact(jobs) : undefined;
    if (!failure) return;
    if (isLocked(failure.error)) this.#wait(jobs, failure.error);
    else if (failure.refused) this.#rejectAll(jobs, failure.error);
    else this.#retryOthers(jobs, failure);
  };

  /** Runs all jobs in one transaction, which is over when this returns. */
  #transact(jobs: readonly Job[]): Failure | undefined {
    const { assertUsable, sync } = this.#options;
    const durability = jobs.some(isSynced) ? 'synced' : 'written';
    try {
      assertUsable?.(durability);
      sync.prepare(durability);
      this.#begin.run();
    } catch (error) {
      this.#rollBack();
      return { error, refused: true };
    }
    const results: unknown[] = [];
    try {
      for (const job of jobs) results.push(job.work());
      this.#commit.run();
      sync.committed();
    } catch (error) {
      this.#rollBack();
      const failedJob = jobs[results.length];
      return failedJob ? { error, failedJob } : { error };
    }
    this.#lockedSince = undefined;
    for (let index = 0; index < jobs.length; index++) jobs[index]?.resolve(results[index]);
    return undefined;
  }

  /** Repeats the jobs without the one that threw; each by itself where the transaction failed. */
  #retryOthers(jobs: readonly Job[], { error, failedJob }: Failure): void {
    failedJob?.reject(this.#explain(error));
    const others = jobs.filter((job) => job !== failedJob);
    if (others.length === 0) return;
    if (!failedJob || this.#transact(others)) this.#runOneByOne(others);
  }

  #runOneByOne(jobs: readonly Job[]): void {
    const waiting: Job[] = [];
    let reason: unknown;
    for (const job of jobs) {
      const failure = this.#transact([job]);
      if (!failure) continue;
      if (isLocked(failure.error)) {
        waiting.push(job);
        reason = failure.error;
      } else job.reject(this.#explain(failure.error));
    }
    if (waiting.length > 0) this.#wait(waiting, reason);
  }

  /** Puts the jobs back to the front of the queue, or gives up when the lock is held too long. */
  #wait(jobs: readonly Job[], reason: unknown): void {
    const { runtime, lockTimeoutMs } = this.#options;
    const now = runtime.elapsed();
    this.#lockedSince ??= now;
    if (now - this.#lockedSince >= lockTimeoutMs) {
      this.#lockedSince = undefined;
      this.#rejectAll(jobs, reason);
      return;
    }
    this.#queue = [...jobs, ...this.#queue];
    this.#scheduled = true;
    runtime.after(1 + runtime.random() * MAX_LOCK_PAUSE_MS, this.#flush);
  }

  #rejectAll(jobs: readonly Job[], error: unknown): void {
    const failure = this.#explain(error);
    for (const job of jobs) job.reject(failure);
  }

  /** Rolls back. After some errors SQLite has done so itself; another try does no harm. */
  #rollBack(): void {
    try {
      this.#options.database.exec('ROLLBACK');
    } catch (error) {
      this.#options.runtime.log.debug('No transaction to roll back.', { error: String(error) });
    }
  }

  #explain(error: unknown): unknown {
    const failure = storeFailure(error);
    if (failure !== error) {
      this.#options.runtime.log.error('The store failed.', { error: String(error) });
    }
    return failure;
  }
}
