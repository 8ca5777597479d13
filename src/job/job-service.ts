/** Adds jobs on behalf of callers, lets them see their own, and works on queues in this process. */
import type { Caller } from '../contract/caller.ts';
import { ToolFailure } from '../contract/errors.ts';
import type {
  EnqueueOptions,
  JobAs,
  JobWorkers,
  ScheduleOptions,
  WorkJobsOptions,
} from '../contract/job.ts';
import type {
  Job,
  JobEnd,
  JobFilter,
  NewJob,
  Queue,
  StoredSchedule,
  WorkOptions,
} from '../contract/queue.ts';
import type { Runtime } from '../contract/runtime.ts';
import { DAY_MS, HOUR_MS } from '../kit/data/durations.ts';
import { reasonOf } from '../kit/data/reason-of.ts';
import { callerOf } from '../pipeline/new-call.ts';
import { JobRunner, type JobRunnerDeps } from './job-runner.ts';
import { inEnqueueSpan } from './job-spans.ts';
import { assertQueueName } from './job-types.ts';
import { isSameJob, jobTemplate, keyedId, runAtOf, sealedText } from './new-job.ts';

export interface QueueSettings {
  readonly concurrency?: number;
  readonly rate?: WorkOptions['rate'];
}

export interface JobSettings {
  readonly retries: number;
  readonly queues: Readonly<Record<string, QueueSettings>>;
}

export interface JobServiceDeps extends JobRunnerDeps {
  readonly runtime: Runtime;
  readonly settings: JobSettings;
  queue(): Promise<Queue>;
  /** Counts a job of this caller. Throws RATE_LIMITED for one too many. */
  countStart(caller: Caller): Promise<void>;
  seal(text: string): Promise<string | undefined>;
}

const CONCURRENCY = 8;
const MAX_SCHEDULE_ID = 200;
/** Schedules of one user, unless it is an owner or admin: each may make a job every second. */
const MAX_SCHEDULES = 100;
/** How long a finished job is kept. */
const KEPT_MS = 30 * DAY_MS;

/** A worker may run fewer jobs of a queue at once than the configuration allows, and not more. */
const atOnce = (asked: number | undefined, configured: number | undefined): number =>
  Math.min(asked ?? configured ?? CONCURRENCY, configured ?? Number.POSITIVE_INFINITY);

/** The user whose jobs a caller may see; `undefined` for one who may see all. */
const seenUser = (as: JobAs | undefined): string | undefined => {
  const { userId, roles } = callerOf(as);
  return roles.includes('owner') || roles.includes('admin') ? undefined : userId;
};

const keyTaken = (): ToolFailure =>
  new ToolFailure('CONFLICT', 'This idempotency key was used with another payload.', {
    suggestions: ['Use a new key for a new job.'],
  });

export class JobService {
  readonly #deps: JobServiceDeps;
  readonly #runner: JobRunner;
  readonly #workers = new Set<JobWorkers>();
  #expiredAt = Number.NEGATIVE_INFINITY;

  constructor(deps: JobServiceDeps) {
    this.#deps = deps;
    this.#runner = new JobRunner(deps);
  }

  async enqueue(type: string, payload: unknown, options?: EnqueueOptions): Promise<string> {
    return (await this.#enqueued(type, payload, options)).id;
  }

  /**
   * Adds a job and returns it as the queue shows it, or as it was added: the log of QStash shows a job
   * late, and whoever is told that it is missing adds it again.
   */
  async add(type: string, payload: unknown, options?: EnqueueOptions): Promise<Job> {
    const { runtime, queue } = this.#deps;
    const job = await this.#enqueued(type, payload, options);
    const shown = await (await queue()).get(job.id).catch(() => undefined);
    return (
      shown ?? { ...job, state: job.runAt > runtime.now() ? 'delayed' : 'waiting', attempts: 0 }
    );
  }

  async #enqueued(type: string, payload: unknown, options: EnqueueOptions = {}): Promise<NewJob> {
    const { types, settings, runtime, nextId } = this.#deps;
    const retries = options.retries ?? settings.retries;
    const template = await jobTemplate(types.get(type), payload, { ...options, retries });
    await this.#deps.countStart(template.caller);
    const id = template.idempotencyKey === undefined ? nextId() : keyedId(template);
    const createdAt = runtime.now();
    const job = { ...template, id, createdAt, runAt: runAtOf(options.delayMs, createdAt) };
    const { telemetry } = runtime;
    if (!telemetry) return this.#add(job);
    return inEnqueueSpan(job, telemetry, (trace) => this.#add({ ...job, trace }));
  }

  async #add(job: NewJob): Promise<NewJob> {
    const queue = await this.#deps.queue();
    const [isNew] = await queue.add([await this.#sealed(job)]);
    if (!isNew && !isSameJob(job, await queue.get(job.id))) throw keyTaken();
    return job;
  }

  async get(jobId: string, as?: JobAs): Promise<Job | undefined> {
    const job = await (await this.#deps.queue()).get(jobId);
    const user = seenUser(as);
    return user === undefined || job?.caller.userId === user ? job : undefined;
  }

  async list(filter: JobFilter = {}, as?: JobAs): Promise<readonly Job[]> {
    const user = seenUser(as);
    if (user === undefined) return (await this.#deps.queue()).list(filter);
    if (filter.userId !== undefined && filter.userId !== user) return [];
    return (await this.#deps.queue()).list({ ...filter, userId: user });
  }

  /** Does something with a job that the caller may see; false where it sees none. */
  async change(what: 'cancel' | 'requeue' | 'remove', jobId: string, as?: JobAs): Promise<boolean> {
    const job = await this.get(jobId, as);
    if (!job) return false;
    const type = this.#deps.types.find(job.type);
    const isStopped = job.state === 'dead' || job.state === 'cancelled';
    // Before: a worker may take the job as soon as it is put back.
    if (what === 'requeue' && isStopped) await type?.requeued?.(job);
    const isDone = await (await this.#deps.queue())[what](jobId);
    // Also for one that is cancelled already, whose run may have outlived a failed attempt to end it.
    if (what === 'cancel' && (isDone || job.state === 'cancelled')) await type?.cancelled?.(job);
    return isDone;
  }

  async schedule(scheduleId: string, options: ScheduleOptions): Promise<StoredSchedule> {
    const { cron, timeZone, type, payload = null, ...rest } = options;
    const { types, settings, runtime } = this.#deps;
    if (scheduleId.length > MAX_SCHEDULE_ID) {
      throw new ToolFailure('VALIDATION_ERROR', 'The id of the schedule is too long.');
    }
    const retries = rest.retries ?? settings.retries;
    const template = await jobTemplate(types.get(type), payload, { ...rest, retries });
    await this.#deps.countStart(template.caller);
    await this.#assertMine(scheduleId, rest);
    const spec = { cron, ...(timeZone !== undefined && { timeZone }) };
    const cadence = { ...spec, since: runtime.now() };
    const sealed = await this.#sealed({ ...template, scheduleId, cadence });
    const { scheduleId: _scheduleId, ...job } = sealed;
    const schedule = { id: scheduleId, ...spec, job };
    return (await this.#deps.queue()).setSchedule(schedule);
  }

  async schedules(as?: JobAs): Promise<readonly StoredSchedule[]> {
    const user = seenUser(as);
    const all = await (await this.#deps.queue()).schedules();
    return user === undefined ? all : all.filter(({ job }) => job.caller.userId === user);
  }

  async unschedule(scheduleId: string, as?: JobAs): Promise<boolean> {
    const isMine = (await this.schedules(as)).some(({ id }) => id === scheduleId);
    return isMine && (await this.#deps.queue()).removeSchedule(scheduleId);
  }

  async work(options: WorkJobsOptions = {}): Promise<JobWorkers> {
    const { types, settings } = this.#deps;
    const names = options.queues ?? [
      ...new Set([...types.queues(), ...Object.keys(settings.queues)]),
    ];
    for (const name of names) assertQueueName(name);
    const queue = await this.#deps.queue();
    const started = names.map((name) => queue.work(this.#workOptions(name, options, queue)));
    const workers: JobWorkers = {
      queues: names,
      close: async (graceMs) => {
        await Promise.all(started.map((worker) => worker.close(graceMs)));
        this.#workers.delete(workers);
      },
    };
    this.#workers.add(workers);
    return workers;
  }

  /** Runs a job that was posted to this process. Whose it is, its seal says. */
  async deliver(job: NewJob, attempts: number): Promise<JobEnd> {
    const queue = await this.#deps.queue();
    if (!queue.deliver) {
      throw new ToolFailure('PRECONDITION_FAILED', 'No jobs are delivered to this process.', {
        suggestions: ['Set jobs.engine to qstash.'],
      });
    }
    const isServed = Array.from(this.#workers).some(({ queues }) => queues.includes(job.queue));
    if (!isServed) await this.work({ queues: [job.queue] });
    return queue.deliver(job, attempts);
  }

  /** Lets the jobs that run here end, for a while; the others stay in the queue. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#workers, (workers) => workers.close()));
  }

  #workOptions(name: string, { concurrency, onEnd }: WorkJobsOptions, queue: Queue): WorkOptions {
    const settings = Object.hasOwn(this.#deps.settings.queues, name)
      ? this.#deps.settings.queues[name]
      : undefined;
    return {
      ...{ queue: name, concurrency: atOnce(concurrency, settings?.concurrency) },
      ...(settings?.rate && { rate: settings.rate }),
      run: async (job, run) => {
        this.#expire(queue);
        const end = await this.#runner.run(job, run, queue.handsOutOnce === true);
        onEnd?.(job, end);
        return end;
      },
    };
  }

  /** Forgets old jobs, once an hour, beside the work. */
  #expire(queue: Queue): void {
    const { runtime } = this.#deps;
    const now = runtime.now();
    if (now - this.#expiredAt < HOUR_MS) return;
    this.#expiredAt = now;
    queue.expire(now - KEPT_MS).catch((error: unknown) => {
      runtime.log.warn('Old jobs were not removed.', { error: reasonOf(error) });
    });
  }

  async #sealed<T extends Partial<NewJob>>(job: T): Promise<T & Pick<NewJob, 'seal'>> {
    const seal = await this.#deps.seal(sealedText(job as unknown as NewJob));
    return seal === undefined ? job : { ...job, seal };
  }

  /** Throws PERMISSION_DENIED for a schedule of another user, RATE_LIMITED for one too many. */
  async #assertMine(scheduleId: string, as: JobAs): Promise<void> {
    const user = seenUser(as);
    if (user === undefined) return;
    const all = await (await this.#deps.queue()).schedules();
    const present = all.find(({ id }) => id === scheduleId);
    if (present?.job.caller.userId === user) return;
    const own = all.filter(({ job }) => job.caller.userId === user);
    if (!present && own.length >= MAX_SCHEDULES) {
      throw new ToolFailure('RATE_LIMITED', `A user has at most ${MAX_SCHEDULES} schedules.`, {
        ...{ suggestions: ['Remove one that is not needed any more.'], retryable: false },
      });
    }
    if (!present) return;
    throw new ToolFailure('PERMISSION_DENIED', `The schedule ${scheduleId} is another user's.`, {
      suggestions: ['Choose another id.'],
    });
  }
}
