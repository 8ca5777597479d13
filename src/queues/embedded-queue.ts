/**
 * A queue on a table in this process: hands jobs to workers, makes those of schedules, and looks at
 * intervals for what other processes did.
 */
import { ToolFailure } from '../contract/errors.ts';
import type {
  Job,
  JobCounts,
  JobFilter,
  JobSchedule,
  NewJob,
  Queue,
  QueueWorker,
  StoredSchedule,
  WorkOptions,
} from '../contract/queue.ts';
import type { Runtime, Timer } from '../contract/runtime.ts';
import { nextCronMoment } from '../kit/data/cron-moments.ts';
import { reasonOf } from '../kit/data/reason-of.ts';
import { EmbeddedWorker } from './embedded-worker.ts';
import type { JobTable } from './job-table.ts';
import { LastChances } from './last-chances.ts';

export interface EmbeddedQueueDeps {
  readonly table: JobTable;
  readonly runtime: Runtime;
}

/** How soon a worker sees what another process added or cancelled. */
const POLL_MS = 100;
/** How often it looks for jobs of dead processes. */
const RECOVER_MS = 1_000;

const closedQueue = (): ToolFailure =>
  new ToolFailure('STORE_UNAVAILABLE', 'The queue is closed.', {
    suggestions: ['Open another crib, and close it when the last job is over.'],
    retryable: false,
  });

export class EmbeddedQueue implements Queue {
  readonly handsOutOnce = true;
  readonly #table: JobTable;
  readonly #runtime: Runtime;
  readonly #workers = new Set<EmbeddedWorker>();
  readonly #lastChances = new LastChances();
  #timer: Timer | undefined;
  #looking: Promise<void> | undefined;
  /** The earliest moment at which something may be due without anyone's doing. */
  #dueAt = Number.POSITIVE_INFINITY;
  #scheduledAt = Number.NEGATIVE_INFINITY;
  #recoveredAt = Number.NEGATIVE_INFINITY;
  /** Another process has written, and it was not yet looked whose jobs that took. */
  #isChanged = false;
  #closing: Promise<void> | undefined;

  constructor({ table, runtime }: EmbeddedQueueDeps) {
    this.#table = table;
    this.#runtime = runtime;
  }

  async add(jobs: readonly NewJob[]): Promise<readonly boolean[]> {
    this.#assertOpen();
    const isNew = await this.#table.add(jobs);
    const queues = new Set(jobs.map(({ queue }) => queue));
    for (const worker of this.#workers) if (queues.has(worker.queue)) worker.fill();
    return isNew;
  }

  async get(jobId: string): Promise<Job | undefined> {
    return this.#open().get(jobId);
  }

  async list(filter: JobFilter = {}): Promise<readonly Job[]> {
    return this.#open().list(filter);
  }

  async counts(): Promise<Readonly<Record<string, JobCounts>>> {
    return this.#open().counts();
  }

  async cancel(jobId: string): Promise<boolean> {
    const isCancelled = await this.#open().cancel(jobId, this.#runtime.now());
    if (isCancelled) for (const worker of this.#workers) worker.drop({ id: jobId });
    return isCancelled;
  }

  async requeue(jobId: string): Promise<boolean> {
    const isWaiting = await this.#open().requeue(jobId, this.#runtime.now());
    if (isWaiting) for (const worker of this.#workers) worker.fill();
    return isWaiting;
  }

  async remove(jobId: string): Promise<boolean> {
    return this.#open().remove(jobId);
  }

  async setSchedule(schedule: JobSchedule): Promise<StoredSchedule> {
    const stored = { ...schedule, nextAt: nextCronMoment(schedule, this.#runtime.now()) };
    await this.#open().putSchedule(stored);
    this.#scheduledAt = Number.NEGATIVE_INFINITY;
    return stored;
  }

  async schedules(): Promise<readonly StoredSchedule[]> {
    return this.#open().schedules();
  }

  async removeSchedule(scheduleId: string): Promise<boolean> {
    return this.#open().removeSchedule(scheduleId);
  }

  async expire(before: number): Promise<number> {
    return this.#open().expire(before);
  }

  work(options: WorkOptions): QueueWorker {
    this.#assertOpen();
    const worker = new EmbeddedWorker(options, {
      table: this.#table,
      runtime: this.#runtime,
      lastChances: this.#lastChances,
      lookAt: (moment) => this.#lookAt(moment),
      closed: (each) => {
        this.#workers.delete(each);
        if (this.#workers.size === 0) this.#timer?.cancel();
      },
    });
    this.#workers.add(worker);
    worker.fill();
    this.#schedule(0);
    return worker;
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    await Promise.all(Array.from(this.#workers, (worker) => worker.close()));
    this.#timer?.cancel();
    await this.#looking;
  }

  #open(): JobTable {
    this.#assertOpen();
    return this.#table;
  }

  #assertOpen(): void {
    if (this.#closing) throw closedQueue();
  }

  #lookAt(moment: number): void {
    if (moment >= this.#dueAt) return;
    this.#dueAt = moment;
    this.#schedule(Math.max(0, Math.min(POLL_MS, moment - this.#runtime.now())));
  }

  #schedule(ms: number): void {
    this.#timer?.cancel();
    if (this.#workers.size === 0) return;
    this.#timer = this.#runtime.after(ms, () => {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
        const wait = this.#dueAt - this.#runtime.now();
        this.#schedule(Math.max(1, Math.min(POLL_MS, wait)));
      });
    });
  }

  /** Looks at what time and other processes have brought. Never rejects. */
  async #look(): Promise<void> {
    const now = this.#runtime.now();
    await this.#attempt(async () => {
      if (this.#table.hasForeignWrites()) this.#isChanged = true;
    });
    const isChanged = this.#isChanged;
    // Each apart: a schedule that fails must keep no worker from what others cancelled, and back.
    await this.#attempt(() => this.#recover(now));
    if (isChanged || now >= this.#scheduledAt) await this.#attempt(() => this.#makeScheduled(now));
    if (isChanged) await this.#attempt(() => this.#dropLost());
    if (!isChanged && now < this.#dueAt) return;
    this.#dueAt = this.#scheduledAt > now ? this.#scheduledAt : Number.POSITIVE_INFINITY;
    for (const worker of this.#workers) worker.fill();
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#runtime.log.warn('The queue could not be read.', { error: reasonOf(error) });
    }
  }

  async #recover(now: number): Promise<void> {
    if (now - this.#recoveredAt < RECOVER_MS && now >= this.#recoveredAt) return;
    this.#recoveredAt = now;
    await this.#table.recover(now);
    for (const worker of this.#workers) worker.fill();
  }

  async #makeScheduled(now: number): Promise<void> {
    const next = (await this.#table.makeScheduled(now)) ?? Number.POSITIVE_INFINITY;
    if (next === this.#scheduledAt) return;
    this.#scheduledAt = next;
    this.#dueAt = Math.min(this.#dueAt, next);
    for (const worker of this.#workers) worker.fill();
  }

  async #dropLost(): Promise<void> {
    for (const worker of this.#workers) {
      const claims = worker.claims();
      if (claims.length === 0) continue;
      for (const claim of await this.#table.lost(claims)) worker.drop(claim);
    }
    this.#isChanged = false;
  }
}
