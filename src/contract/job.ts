/** Jobs: work that is done in the background, on behalf of the caller who added it. */
import type { CallerAs } from './call-options.ts';
import type { Job, JobBackoff, JobCounts, JobEnd, JobFilter, StoredSchedule } from './queue.ts';
import type { LazySchema } from './schema.ts';
import type { TraceContext } from './telemetry.ts';
import type { Tool } from './tool.ts';

/** What a handler gets besides its job. */
export interface JobContext {
  /** Fires when the job is cancelled or times out, or its worker closes. */
  readonly signal: AbortSignal;
  /**
   * Calls a tool as the caller who added the job, with its rights and budgets as they are now. Returns
   * its data, and throws a `ToolFailure` when the call fails. When the job is run again, a call that has
   * changed something answers what it answered before. A call that needs approval postpones the job until
   * a person has answered.
   *
   * @example
   * crib.jobs.register('welcome', async (job, context) => {
   *   const text = await context.call(greet, { name: 'Ada' });
   *   return { text, attempt: job.attempts };
   * });
   */
  call<I, O>(tool: Tool<I, O>, input: I): Promise<O>;
  call(tool: string, input: unknown): Promise<unknown>;
  /**
   * Puts on record how far the job has come.
   *
   * @example
   * crib.jobs.register('count', async (job, context) => {
   *   for (let done = 1; done <= 10; done += 1) await context.progress({ done });
   * });
   */
  progress(value: unknown): Promise<void>;
}

/** Does the work of one type of job. What it returns is the result of the job, and has to be JSON. */
export type JobHandler<P = unknown> = (
  job: Job & { readonly payload: P },
  context: JobContext,
) => unknown;

export interface JobTypeOptions<P = unknown> {
  /** Where jobs of this type are added; `default` when absent. */
  readonly queue?: string;
  /** Jobs of this type that run at once in one process; as many as the queue allows when absent. */
  readonly concurrency?: number;
  /** How long one attempt may take; no limit when absent. */
  readonly timeoutMs?: number;
  /** Checked when a job is added. */
  readonly input?: LazySchema<P>;
  /**
   * Agents may add such jobs, too. False when absent: then only owners, admins and operators may, those
   * whom the program itself names, and tokens whose list of tools has `job:<type>`.
   */
  readonly openToAgents?: boolean;
}

/** Who adds a job: the local owner when absent. */
export type JobAs = CallerAs;

export interface EnqueueOptions extends JobAs {
  /** How often the job is tried again after its first attempt; 3 unless configured otherwise. */
  readonly retries?: number;
  /** The pause before each retry: 1 second, then twice as long each time, at most a minute. */
  readonly backoff?: JobBackoff;
  /** Milliseconds to wait before the first attempt. */
  readonly delayMs?: number;
  /** 0 first, up to 1,000; 0 when absent. */
  readonly priority?: number;
  /** The same key of the same user and type again gives the job that is there. */
  readonly idempotencyKey?: string;
  /** Another queue than that of the type. */
  readonly queue?: string;
  /** The trace that the job belongs to; its calls and log lines carry it. The id of the job when absent. */
  readonly traceId?: string;
  /** The span around it in another process, as W3C Trace Context writes it; the job and its calls join its trace. */
  readonly trace?: TraceContext;
}

export interface ScheduleOptions
  extends Omit<EnqueueOptions, 'delayMs' | 'idempotencyKey' | 'traceId' | 'trace'> {
  /** Five fields, six with seconds in front, or a shorthand such as `@daily`. */
  readonly cron: string;
  /** An IANA name; UTC when absent. */
  readonly timeZone?: string;
  readonly type: string;
  readonly payload?: unknown;
}

export interface WorkJobsOptions {
  /** The queues to work on; those of the registered types and the configured ones when absent. */
  readonly queues?: readonly string[];
  /** Jobs that run at once, of each queue: at most as many as configured for it; those, or 8, when absent. */
  readonly concurrency?: number;
  /** Called with each attempt and how it ended. What it throws is logged and changes nothing. */
  onEnd?(job: Job, end: JobEnd): unknown;
}

/** Workers that run in this process. */
export interface JobWorkers {
  readonly queues: readonly string[];
  /**
   * Takes no more jobs and waits `graceMs` for those that run; 10 seconds when absent.
   *
   * @example
   * const workers = await crib.jobs.work();
   * await workers.close(30_000);
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * The jobs. Where a caller is named, `get`, `list`, `cancel`, `requeue`, `remove`, `schedules` and
 * `unschedule` see its own jobs alone, unless its role is owner or admin.
 */
export interface CribJobs {
  /**
   * Registers a type of job in this process. Throws CONFIG_INVALID for an invalid name or options, and
   * CONFLICT for a type that has another handler.
   *
   * @example
   * crib.jobs.register('welcome', (job, context) => context.call(greet, { name: 'Ada' }), {
   *   queue: 'mail',
   *   timeoutMs: 30_000,
   * });
   */
  register<P>(type: string, handler: JobHandler<P>, options?: JobTypeOptions<P>): void;
  /**
   * Adds a job and returns its id. Rejects with NOT_FOUND for a type that is not registered here, with
   * VALIDATION_ERROR for a payload that is no plain JSON or larger than 1 MB, and with CONFLICT for an
   * idempotency key that was used with another payload.
   *
   * @example
   * const jobId = await crib.jobs.enqueue('tool', {
   *   tool: 'greet',
   *   input: { name: 'Ada' },
   * });
   */
  enqueue(type: string, payload: unknown, options?: EnqueueOptions): Promise<string>;
  /**
   * Reads a job; `undefined` when this caller has none of that id. Finished jobs are kept for 30 days,
   * dead ones until they are removed.
   *
   * @example
   * const job = await crib.jobs.get('job-1');
   * console.log(job?.state, job?.result);
   */
  get(jobId: string, as?: JobAs): Promise<Job | undefined>;
  /**
   * Lists jobs, newest first.
   *
   * @example
   * const dead = await crib.jobs.list({ state: 'dead' });
   */
  list(filter?: JobFilter, as?: JobAs): Promise<readonly Job[]>;
  /**
   * Counts the jobs of each queue by their state.
   *
   * @example
   * for (const [queue, { waiting }] of Object.entries(await crib.jobs.counts())) {
   *   console.log(queue, waiting);
   * }
   */
  counts(): Promise<Readonly<Record<string, JobCounts>>>;
  /**
   * Cancels a job that is not finished; one that runs gets the signal. False when it is finished.
   *
   * @example
   * await crib.jobs.cancel('job-1');
   */
  cancel(jobId: string, as?: JobAs): Promise<boolean>;
  /**
   * Puts a dead or cancelled job back, with all its attempts. False for any other.
   *
   * @example
   * for (const { id } of await crib.jobs.list({ state: 'dead' })) await crib.jobs.requeue(id);
   */
  requeue(jobId: string, as?: JobAs): Promise<boolean>;
  /**
   * Removes a job that does not run. False for one that does, or is not there.
   *
   * @example
   * await crib.jobs.remove('job-1');
   */
  remove(jobId: string, as?: JobAs): Promise<boolean>;
  /**
   * Makes a job again and again, or changes the schedule of that id. Rejects with VALIDATION_ERROR for a
   * pattern or time zone that makes no sense, and with RATE_LIMITED for a caller's own that comes more often
   * than once a minute.
   *
   * @example
   * const { nextAt } = await crib.jobs.schedule('nightly', {
   *   cron: '30 4 * * *',
   *   timeZone: 'Europe/Berlin',
   *   type: 'tool',
   *   payload: { tool: 'greet', input: { name: 'Ada' } },
   * });
   */
  schedule(scheduleId: string, options: ScheduleOptions): Promise<StoredSchedule>;
  /**
   * Lists the schedules.
   *
   * @example
   * for (const { id, cron } of await crib.jobs.schedules()) console.log(id, cron);
   */
  schedules(as?: JobAs): Promise<readonly StoredSchedule[]>;
  /**
   * Removes a schedule; jobs that it has made stay. False when there is none of that id.
   *
   * @example
   * await crib.jobs.unschedule('nightly');
   */
  unschedule(scheduleId: string, as?: JobAs): Promise<boolean>;
  /**
   * Starts to work on queues in this process, until the workers or the crib are closed. From then on this
   * process also continues the runs of the project's flow files that are due.
   *
   * @example
   * const workers = await crib.jobs.work({ queues: ['default'] });
   * await workers.close();
   */
  work(options?: WorkJobsOptions): Promise<JobWorkers>;
}
