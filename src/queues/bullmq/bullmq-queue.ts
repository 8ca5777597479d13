/**
 * The port on BullMQ. Each queue of the port is one of BullMQ; an index beside them finds jobs by id,
 * user and type, and holds those that were cancelled.
 */
import type {
  AdoptedJob,
  Job,
  JobCounts,
  JobFilter,
  JobSchedule,
  NewJob,
  Queue,
  QueueWorker,
  StoredSchedule,
  WorkOptions,
} from '../../contract/queue.ts';
import { addJobs } from './add-jobs.ts';
import { adoptJobs, adoptSchedules } from './adopt-jobs.ts';
import type { BullmqDeps } from './bullmq-deps.ts';
import { BullmqWorker } from './bullmq-worker.ts';
import { cancelJob, expireJobs, removeJob, requeueJob } from './change-jobs.ts';
import { GroupedAdds } from './grouped-adds.ts';
import { assertPlain } from './job-record.ts';
import { listJobs } from './list-jobs.ts';
import { findJob } from './read-jobs.ts';
import { isRedisError, queueClosed, redisFailure } from './redis-failure.ts';
import {
  readSchedules,
  removeSchedule,
  runSchedules,
  type ScheduleRunner,
  setSchedule,
} from './run-schedules.ts';

/** Longer than any command may take; for what waits inside BullMQ for a connection. */
const MAX_OPERATION_MS = 30_000;

const countsOf = async (deps: BullmqDeps, name: string): Promise<JobCounts> => {
  const queue = await deps.queueOf(name);
  const [counts, cancelled] = await Promise.all([
    queue.getJobCounts('wait', 'prioritized', 'delayed', 'active', 'completed', 'failed'),
    deps.connections.client.zcard(deps.keys.cancelledIn(name)),
  ]);
  const { wait = 0, prioritized = 0, delayed = 0, active = 0, completed = 0, failed = 0 } = counts;
  return { waiting: wait + prioritized, delayed, active, completed, dead: failed, cancelled };
};

export class BullmqQueue implements Queue {
  readonly #deps: BullmqDeps;
  readonly #closeQueues: () => Promise<void>;
  readonly #workers = new Set<BullmqWorker>();
  readonly #adds = new GroupedAdds((jobs) => this.#guarded((deps) => addJobs(deps, jobs)));
  #schedules: ScheduleRunner | undefined;
  #closing: Promise<void> | undefined;

  constructor(deps: BullmqDeps, closeQueues: () => Promise<void>) {
    this.#deps = deps;
    this.#closeQueues = closeQueues;
  }

  async add(jobs: readonly NewJob[]): Promise<readonly boolean[]> {
    // Before they are grouped: one that cannot be kept must not fail the others.
    for (const job of jobs) assertPlain(job);
    return this.#adds.add(jobs);
  }

  get(jobId: string): Promise<Job | undefined> {
    return this.#guarded(async (deps) => (await findJob(deps, jobId))?.job);
  }

  list(filter: JobFilter = {}): Promise<readonly Job[]> {
    return this.#guarded((deps) => listJobs(deps, filter));
  }

  counts(): Promise<Readonly<Record<string, JobCounts>>> {
    return this.#guarded(async (deps) => {
      const names = await deps.connections.client.smembers(deps.keys.queues);
      return Object.fromEntries(
        await Promise.all(names.map(async (name) => [name, await countsOf(deps, name)] as const)),
      );
    });
  }

  adopt(
    jobs: readonly AdoptedJob[],
    schedules: readonly StoredSchedule[],
  ): Promise<{ readonly jobs: readonly boolean[]; readonly schedules: readonly boolean[] }> {
    return this.#guarded(async (deps) => ({
      schedules: await adoptSchedules(deps, schedules),
      jobs: await adoptJobs(deps, jobs),
    }));
  }

  cancel(jobId: string): Promise<boolean> {
    return this.#guarded((deps) => cancelJob(deps, jobId));
  }

  requeue(jobId: string): Promise<boolean> {
    return this.#guarded((deps) => requeueJob(deps, jobId));
  }

  remove(jobId: string): Promise<boolean> {
    return this.#guarded((deps) => removeJob(deps, jobId));
  }

  setSchedule(schedule: JobSchedule): Promise<StoredSchedule> {
    return this.#guarded((deps) => setSchedule(deps, schedule));
  }

  schedules(): Promise<readonly StoredSchedule[]> {
    return this.#guarded(readSchedules);
  }

  removeSchedule(scheduleId: string): Promise<boolean> {
    return this.#guarded((deps) => removeSchedule(deps, scheduleId));
  }

  expire(before: number): Promise<number> {
    return this.#guarded((deps) => expireJobs(deps, before));
  }

  work(options: WorkOptions): QueueWorker {
    if (this.#closing) throw queueClosed();
    this.#beginWork();
    const worker = new BullmqWorker(options, this.#deps);
    this.#workers.add(worker);
    return {
      close: async (graceMs) => {
        await worker.close(graceMs);
        this.#workers.delete(worker);
      },
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    this.#schedules?.close();
    await Promise.all(Array.from(this.#workers, (worker) => worker.close()));
    await this.#closeQueues();
    this.#deps.connections.close();
  }

  /** Begins what a process does only while it works: hear of cancellations, make scheduled jobs. */
  #beginWork(): void {
    if (this.#schedules) return;
    this.#schedules = runSchedules(this.#deps, (job) => this.add([job]));
    this.#deps.connections.subscribe(this.#deps.keys.cancellations, (keyId) => {
      for (const worker of this.#workers) worker.abort(keyId);
    });
  }

  /** Runs an operation; what fails of Redis becomes STORE_UNAVAILABLE. */
  async #guarded<T>(operation: (deps: BullmqDeps) => Promise<T>): Promise<T> {
    if (this.#closing) throw queueClosed();
    const { connections } = this.#deps;
    try {
      await connections.ready();
      return await this.#limited(operation(this.#deps));
    } catch (error) {
      if (this.#closing && isRedisError(error)) throw queueClosed();
      throw isRedisError(error) ? redisFailure(error, connections.place) : error;
    }
  }

  /** Gives up on an operation that takes too long. */
  #limited<T>(operation: Promise<T>): Promise<T> {
    const { connections, runtime } = this.#deps;
    return new Promise((resolve, reject) => {
      const timer = runtime.after(MAX_OPERATION_MS, () =>
        reject(redisFailure(undefined, connections.place)),
      );
      operation.then(resolve, reject).finally(() => timer.cancel());
    });
  }
}
