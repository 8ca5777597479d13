/** Adds jobs on behalf of callers, lets them see their own, and works on queues in this process. */
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
import { DAY_MS } from '../kit/data/durations.ts';
import { thrownTrace } from '../kit/data/reason-of.ts';
import { forgetOld } from '../pipeline/record/forget-old.ts';
import { type AddJobDeps, knownQueues, sealed, seenUser } from './add-job.ts';
import { forgetEntry, forgetEntryLater } from './entry-claims.ts';
import { JobRunner, type JobRunnerDeps } from './job-runner.ts';
import { JobSchedules } from './job-schedules.ts';
import { inEnqueueSpan } from './job-spans.ts';
import { assertQueueName } from './job-types.ts';
import { type JobWaitsDeps, withWaits } from './job-waits.ts';
import { assertMayChoose } from './may-add.ts';
import { isSameJob, jobTemplate, keyedId, runAtOf } from './new-job.ts';

export interface QueueSettings {
  readonly concurrency?: number;
  readonly rate?: WorkOptions['rate'];
}

export interface JobSettings {
  readonly retries: number;
  readonly queues: Readonly<Record<string, QueueSettings>>;
}

export interface JobServiceDeps extends JobRunnerDeps, AddJobDeps, JobWaitsDeps {
  readonly runtime: Runtime;
  readonly settings: JobSettings;
}

const CONCURRENCY = 8;
/** How long a finished job is kept. */
const KEPT_MS = 30 * DAY_MS;

/** A worker may run fewer jobs of a queue at once than the configuration allows, and not more. */
const atOnce = (asked: number | undefined, configured: number | undefined): number =>
  Math.min(asked ?? configured ?? CONCURRENCY, configured ?? Number.POSITIVE_INFINITY);

const keyTaken = (): ToolFailure =>
  new ToolFailure('CONFLICT', 'This idempotency key was used with another payload.', {
    suggestions: ['Use a new key for a new job.'],
  });

export class JobService {
  readonly #deps: JobServiceDeps;
  readonly #runner: JobRunner;
  readonly #schedules: JobSchedules;
  readonly #workers = new Set<JobWorkers>();
  /** Forgets old jobs beside the work. */
  readonly #forgetOld: () => void;

  constructor(deps: JobServiceDeps) {
    this.#deps = deps;
    this.#runner = new JobRunner(deps);
    this.#schedules = new JobSchedules(deps);
    const expire = async (before: number) => (await deps.queue()).expire(before);
    const { runtime } = deps;
    this.#forgetOld = forgetOld({ runtime, keepMs: KEPT_MS, what: 'jobs', expire });
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
    const entry = types.get(type);
    const template = await jobTemplate(entry, payload, { ...options, retries });
    assertMayChoose(template, entry, knownQueues(this.#deps));
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
    const [isNew] = await queue.add([await sealed(job, this.#deps)]);
    if (!isNew && !isSameJob(job, await queue.get(job.id))) throw keyTaken();
    return job;
  }

  async get(jobId: string, as?: JobAs): Promise<Job | undefined> {
    const job = await (await this.#deps.queue()).get(jobId);
    const user = seenUser(as);
    if (!job || (user !== undefined && job.caller.userId !== user)) return undefined;
    return (await withWaits([job], this.#deps))[0];
  }

  async list(filter: JobFilter = {}, as?: JobAs): Promise<readonly Job[]> {
    const user = seenUser(as);
    if (user !== undefined && filter.userId !== undefined && filter.userId !== user) return [];
    const seen = user === undefined ? filter : { ...filter, userId: user };
    return withWaits(await (await this.#deps.queue()).list(seen), this.#deps);
  }

  /** Does something with a job that the caller may see; false where it sees none. */
  async change(what: 'cancel' | 'requeue' | 'remove', jobId: string, as?: JobAs): Promise<boolean> {
    const job = await this.get(jobId, as);
    if (!job) return false;
    const type = this.#deps.types.find(job.type);
    const queue = await this.#deps.queue();
    const isStopped = job.state === 'dead' || job.state === 'cancelled';
    const isClaimed = queue.handsOutOnce !== true;
    if (what === 'requeue' && isStopped) {
      // Before: a worker may take the job as soon as it is put back.
      await type?.requeued?.(job);
      if (isClaimed) await forgetEntry(jobId, this.#deps);
    }
    const isDone = await queue[what](jobId);
    // After: a job that was not removed may be delivered again. Whoever adds it anew wants it run.
    if (what === 'remove' && isDone && isClaimed) await forgetEntryLater(jobId, this.#deps);
    // Also for one that is cancelled already, whose run may have outlived a failed attempt to end it.
    if (what === 'cancel' && (isDone || job.state === 'cancelled')) await type?.cancelled?.(job);
    return isDone;
  }

  schedule(scheduleId: string, options: ScheduleOptions): Promise<StoredSchedule> {
    return this.#schedules.set(scheduleId, options);
  }

  schedules(as?: JobAs): Promise<readonly StoredSchedule[]> {
    return this.#schedules.list(as);
  }

  unschedule(scheduleId: string, as?: JobAs): Promise<boolean> {
    return this.#schedules.remove(scheduleId, as);
  }

  async work(options: WorkJobsOptions = {}): Promise<JobWorkers> {
    const names = options.queues ?? knownQueues(this.#deps);
    // Workers of no queue would wait without a word, as when a variable that holds the names is empty.
    if (names.length === 0) {
      throw new ToolFailure('VALIDATION_ERROR', 'queues names no queue to work on.', {
        suggestions: ['Name one, or leave queues out to work on all that are known.'],
      });
    }
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
      queue: name,
      concurrency: atOnce(concurrency, settings?.concurrency),
      ...(settings?.rate && { rate: settings.rate }),
      run: async (job, run) => {
        this.#forgetOld();
        const end = await this.#runner.run(job, run, queue.handsOutOnce === true);
        if (onEnd) this.#report(onEnd, job, end);
        return end;
      },
    };
  }

  /** Calls a listener with the end of an attempt. What it throws is no failure of the job. */
  #report(onEnd: NonNullable<WorkJobsOptions['onEnd']>, job: Job, end: JobEnd): void {
    // Awaited by nobody: a listener that is an async function holds no slot.
    const reporting = (async () => onEnd(job, end))();
    reporting.catch((error: unknown) => {
      const fields = { jobId: job.id, cause: thrownTrace(error) };
      this.#deps.runtime.log.error('The onEnd of a worker threw.', fields);
    });
  }
}
