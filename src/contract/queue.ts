/**
 * The port to a queue of jobs. An engine keeps jobs, gives each to one worker at a time, and to another
 * one when that worker has died. It knows neither what a job does nor as whom.
 */
import type { Caller } from './caller.ts';
import type { ToolError } from './errors.ts';
import type { TraceContext } from './telemetry.ts';

/**
 * `waiting`: for a worker. `delayed`: until `runAt`, also between two attempts. `active`: a worker has
 * it. `dead`: its last attempt failed; it stays until it is requeued or removed.
 */
export const JOB_STATES = [
  'waiting',
  'delayed',
  'active',
  'completed',
  'dead',
  'cancelled',
] as const;

/** The most bytes of a payload, as JSON. */
export const MAX_PAYLOAD_BYTES = 1_048_576;
/** The most bytes of a whole job, as JSON: its payload, and what is known of it and of its caller. */
export const MAX_JOB_BYTES = MAX_PAYLOAD_BYTES + 65_536;
/** How often a job may be tried again after its first attempt. */
export const MAX_RETRIES = 100;

export type JobState = (typeof JOB_STATES)[number];

/** Milliseconds until the next attempt: `initialMs`, then `factor` times as long, at most `maxMs`. */
export interface JobBackoff {
  readonly initialMs: number;
  readonly factor: number;
  readonly maxMs: number;
}

/**
 * The pattern by which a schedule makes jobs. The seal of each job covers it, so that nobody can add jobs at
 * other times.
 */
export interface Cadence {
  readonly cron: string;
  readonly timeZone?: string;
  /** Milliseconds since the epoch: when the schedule was set. */
  readonly since: number;
}

export interface NewJob {
  /** Chosen by whoever adds the job; adding the same id again changes nothing. */
  readonly id: string;
  /** Workers of one queue share its concurrency and its rate. */
  readonly queue: string;
  /** Names the handler. */
  readonly type: string;
  /** Plain data of bounded size; checked before it comes here. */
  readonly payload: unknown;
  /** On whose behalf the job runs; rights and budgets are judged again when it does. */
  readonly caller: Caller;
  /** US dollars a day that the token which added the job allows. */
  readonly dailyUsd?: number;
  /** 0 first, then 1, 2, … up to 1,000; equal ones in the order in which they were added. */
  readonly priority: number;
  /** How often the job is tried again after its first attempt. */
  readonly retries: number;
  readonly backoff: JobBackoff;
  /** Milliseconds since the epoch; not before this moment. */
  readonly runAt: number;
  readonly createdAt: number;
  /** Joins the job, and the calls it makes, to the call or request that added it. */
  readonly traceId?: string;
  /** The span that added it, where that was traced: its attempts and calls are in the same trace. */
  readonly trace?: TraceContext;
  /** The key under which the caller added it. */
  readonly idempotencyKey?: string;
  /** The schedule that made it. */
  readonly scheduleId?: string;
  /** The moments of that schedule; the job's id names one of them. */
  readonly cadence?: Cadence;
  /** Shows that this user added it; other jobs run only in the process that added them. */
  readonly seal?: string;
}

/** Gives the id under which a job and its calls are found: its own where nothing else made it. */
export const traceIdOf = ({ id, traceId, trace }: NewJob): string =>
  trace?.traceparent.slice(3, 35) ?? traceId ?? id;

export interface Job extends NewJob {
  readonly state: JobState;
  /** Attempts that were begun. */
  readonly attempts: number;
  /** What the handler last reported. */
  readonly progress?: unknown;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly result?: unknown;
  /** Why the newest attempt failed. */
  readonly error?: ToolError;
  /** The questions to a person that it waits for, each `approval:<id>`. Set by `crib.jobs`, and kept by no engine. */
  readonly waitsFor?: readonly string[];
}

/** A job of another queue, with what that queue counted. */
export interface AdoptedJob {
  readonly job: Job;
  /** Attempts that failed. */
  readonly failures: number;
  /** Workers that died while they had it. */
  readonly deaths: number;
}

export interface JobFilter {
  readonly queue?: string;
  readonly type?: string;
  readonly state?: JobState;
  readonly userId?: string;
  /** Jobs added before this moment, for paging. */
  readonly before?: number;
  /** 100 when absent. */
  readonly limit?: number;
}

/** How many jobs of one queue are in each state. */
export type JobCounts = Readonly<Record<JobState, number>>;

/** A job that is made again and again. A moment that was missed is made up for once. */
export interface JobSchedule {
  readonly id: string;
  /** Five or six fields, or a shorthand such as `@daily`. */
  readonly cron: string;
  /** An IANA name; UTC when absent. */
  readonly timeZone?: string;
  /** What is made each time; its id is the schedule's, `@` and the moment in milliseconds. */
  readonly job: Omit<NewJob, 'id' | 'runAt' | 'createdAt' | 'scheduleId'>;
}

export interface StoredSchedule extends JobSchedule {
  readonly nextAt: number;
  readonly lastAt?: number;
}

/** What the worker of a job may do while it runs. */
export interface JobRun {
  /** Fires when the job is cancelled or given to another worker, or the worker closes. */
  readonly signal: AbortSignal;
  progress(value: unknown): Promise<void>;
}

/**
 * How an attempt ended. A failure that is not `retryable` makes the job dead at once. `postponed`: it
 * waits for something outside, e.g. an approval, and the attempt does not count.
 */
export type JobEnd =
  | { readonly state: 'completed'; readonly result?: unknown }
  | {
      readonly state: 'postponed';
      readonly retryAfterMs: number;
      /** What the job waits for, in words. */
      readonly reason?: string;
      /** The question to a person that it waits for. */
      readonly approvalId?: string;
    }
  | {
      readonly state: 'failed';
      readonly error: ToolError;
      readonly retryable: boolean;
      /** The next attempt not before this many milliseconds; the backoff when absent. */
      readonly retryAfterMs?: number;
    };

export interface WorkOptions {
  readonly queue: string;
  /** Jobs that this worker runs at once. */
  readonly concurrency: number;
  /** At most `max` jobs are begun in `perMs` milliseconds, by all workers of the queue together. */
  readonly rate?: { readonly max: number; readonly perMs: number };
  /** Runs one attempt. Never rejects: what the handler throws comes as an end. */
  run(job: Job, run: JobRun): Promise<JobEnd>;
}

export interface QueueWorker {
  /**
   * Takes no more jobs, waits `graceMs` (10 seconds when absent) for those that run, then fires their
   * signals. A job that fails after that, or does not end soon, waits for another worker; the attempt
   * does not count as a failure.
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * What an engine may be unable to do. `backlog`: jobs wait for a worker. `counts`: by queue and state. `record`:
 * results, progress, reasons of failures. `order`: by priority. `pauses`: to the millisecond, by the
 * backoff of the job. `slots`: concurrency and rate. `cancelRunning`: with a signal. `forget`: finished
 * jobs are removed and cancelled ones requeued. `seconds`: in the patterns of schedules.
 */
export type QueueAbility =
  | 'backlog'
  | 'counts'
  | 'record'
  | 'order'
  | 'pauses'
  | 'slots'
  | 'cancelRunning'
  | 'forget'
  | 'seconds';

export interface Queue {
  /** What the engine cannot do, each with the reason; nothing where it can do all. */
  readonly lacks?: Readonly<Partial<Record<QueueAbility, string>>>;
  /**
   * True when no second worker gets a job while the process of the first lives. Otherwise two workers may
   * have the same job for a while, and must claim it before they run it.
   */
  readonly handsOutOnce?: boolean;
  /** Adds jobs, all or none, synced; says for each whether it is new. */
  add(jobs: readonly NewJob[]): Promise<readonly boolean[]>;
  get(jobId: string): Promise<Job | undefined>;
  /** Lists jobs, newest first. */
  list(filter?: JobFilter): Promise<readonly Job[]>;
  counts(): Promise<Readonly<Record<string, JobCounts>>>;
  /** Cancels a job that is not finished; fires the signal of one that runs. False when it is. */
  cancel(jobId: string): Promise<boolean>;
  /** Makes a dead or cancelled job wait again, with all its attempts. False for any other. */
  requeue(jobId: string): Promise<boolean>;
  /** Removes a job that is not active. False for one that is, or is not there. */
  remove(jobId: string): Promise<boolean>;
  /** Adds a schedule or replaces the one of the same id. */
  setSchedule(schedule: JobSchedule): Promise<StoredSchedule>;
  schedules(): Promise<readonly StoredSchedule[]>;
  removeSchedule(scheduleId: string): Promise<boolean>;
  /**
   * Starts a worker on a queue. A job whose worker died is given to another one within 5 seconds,
   * whatever its retries; after the third death it is dead.
   */
  work(options: WorkOptions): QueueWorker;
  /**
   * Takes over jobs and schedules of another queue as they are, dead and finished ones too, the jobs all or
   * none; says for each whether it is new. One whose id is there stays as it is.
   */
  adopt?(
    jobs: readonly AdoptedJob[],
    schedules: readonly StoredSchedule[],
  ): Promise<{ readonly jobs: readonly boolean[]; readonly schedules: readonly boolean[] }>;
  /**
   * Runs a job that was posted to this process. Present when the jobs wait at an outside service that delivers
   * them; to be called only for verified deliveries.
   */
  deliver?(job: NewJob, attempts: number): Promise<JobEnd>;
  /** Forgets completed and cancelled jobs that ended before that moment; says how many. Dead ones stay. */
  expire(before: number): Promise<number>;
  close(): Promise<void>;
}
