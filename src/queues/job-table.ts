/** What an embedded engine has to keep: the table of jobs below the workers that both engines share. */
import type { ToolError } from '../contract/errors.ts';
import type {
  Job,
  JobCounts,
  JobFilter,
  NewJob,
  StoredSchedule,
  WorkOptions,
} from '../contract/queue.ts';

/** A job as a worker holds it. The epoch grows whenever the job is handed out. */
export interface JobClaim {
  readonly id: string;
  readonly row: number;
  readonly epoch: number;
}

export interface ClaimedJob {
  readonly claim: JobClaim;
  readonly job: Job;
  /** Attempts that failed before this one. */
  readonly failures: number;
  /** Another death of its worker makes it dead. */
  readonly isLastChance: boolean;
}

export interface ClaimRequest extends Pick<WorkOptions, 'queue' | 'rate'> {
  /** Both are asked inside the transaction: slots may have become free meanwhile. */
  now(): number;
  limit(): number;
}

export interface Claimed {
  readonly jobs: readonly ClaimedJob[];
  /** When a job may be there again without anyone adding one. */
  readonly nextAt?: number;
}

/** What the end of an attempt makes of a job. `waiting`: the attempt does not count. */
export type JobChange =
  | { readonly state: 'completed'; readonly result: unknown; readonly finishedAt: number }
  | { readonly state: 'dead'; readonly error: ToolError; readonly finishedAt: number }
  | { readonly state: 'delayed'; readonly error: ToolError; readonly runAt: number }
  | { readonly state: 'waiting'; readonly runAt?: number };

/** Each method is atomic. A claim that is not the newest of its job changes nothing. */
export interface JobTable {
  add(jobs: readonly NewJob[]): Promise<readonly boolean[]>;
  get(jobId: string): Promise<Job | undefined>;
  list(filter: JobFilter): Promise<readonly Job[]>;
  counts(): Promise<Readonly<Record<string, JobCounts>>>;
  cancel(jobId: string, now: number): Promise<boolean>;
  requeue(jobId: string, now: number): Promise<boolean>;
  remove(jobId: string): Promise<boolean>;
  expire(before: number): Promise<number>;
  claim(request: ClaimRequest): Promise<Claimed>;
  end(claim: JobClaim, change: JobChange): Promise<boolean>;
  progress(claim: JobClaim, value: unknown): Promise<void>;
  /** Returns the claims that are not the newest of their jobs any more. */
  lost(claims: readonly JobClaim[]): Promise<readonly JobClaim[]>;
  /** Hands the jobs of dead processes out again. */
  recover(now: number): Promise<void>;
  putSchedule(schedule: StoredSchedule): Promise<void>;
  schedules(): Promise<readonly StoredSchedule[]>;
  removeSchedule(scheduleId: string): Promise<boolean>;
  /** Makes the jobs of schedules that are due; returns when the next one is. */
  makeScheduled(now: number): Promise<number | undefined>;
  /** Tells whether another process has written since the last question. */
  hasForeignWrites(): boolean;
}

/** The deaths of workers after which a job is dead: it may be what kills them. */
export const MAX_DEATHS = 3;

export const DEFAULT_LIMIT = 100;

export const NO_JOBS: JobCounts = {
  waiting: 0,
  delayed: 0,
  active: 0,
  completed: 0,
  dead: 0,
  cancelled: 0,
};
