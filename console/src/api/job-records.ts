/** Jobs, queues and schedules as the API shows them. */
import type { ErrorBody } from './tool-records.ts';

export const JOB_STATES = [
  'waiting',
  'delayed',
  'active',
  'completed',
  'dead',
  'cancelled',
] as const;
export type JobState = (typeof JOB_STATES)[number];

interface JobCaller {
  readonly userId: string;
  readonly agentId: string;
  readonly sessionId: string;
}

export interface JobRecord {
  readonly id: string;
  readonly queue: string;
  readonly type: string;
  readonly state: JobState;
  readonly caller: JobCaller;
  readonly priority: number;
  readonly attempts: number;
  readonly retries: number;
  readonly createdAt: number;
  readonly runAt: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly scheduleId?: string;
  readonly error?: ErrorBody;
  /** The questions to a person that it waits for, each `approval:<id>`. */
  readonly waitsFor?: readonly string[];
  /** Payload, progress and result are left out for this reader. */
  readonly withheld?: true;
  readonly payload?: unknown;
  readonly progress?: unknown;
  readonly result?: unknown;
}

export type QueueCounts = { readonly queue: string } & Readonly<Record<JobState, number>>;

export interface ScheduleRecord {
  readonly id: string;
  readonly cron: string;
  readonly timeZone?: string;
  readonly queue: string;
  readonly type: string;
  readonly caller: JobCaller;
  readonly nextAt: number;
  readonly lastAt?: number;
}
