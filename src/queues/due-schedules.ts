/** Decides what is made of schedules that are due: the job of the moment, and the moment after it. */
import type { NewJob, StoredSchedule } from '../contract/queue.ts';
import type { Runtime } from '../contract/runtime.ts';
import { nextCronMoment } from '../kit/data/cron-moments.ts';
import { reasonOf } from '../kit/data/reason-of.ts';

export interface DueSchedule {
  /** The job of the moment that the schedule is due at. Moments that were missed since make none. */
  readonly job: NewJob;
  /** The schedule at its next moment. */
  readonly advanced: StoredSchedule;
}

const scheduledJob = (schedule: StoredSchedule, now: number): NewJob => {
  const { id, job, nextAt } = schedule;
  return { ...job, id: `${id}@${nextAt}`, scheduleId: id, runAt: nextAt, createdAt: now };
};

export class DueSchedules {
  readonly #log: Runtime['log'];
  /** Texts of the schedules that the log has named. */
  readonly #named = new Set<string>();

  constructor(log: Runtime['log']) {
    this.#log = log;
  }

  /**
   * Returns what is made of a schedule that is due; nothing for one that has no next moment here, such as one
   * in a time zone that this machine does not know. It stays as it is, and must not stop the others.
   */
  step(schedule: StoredSchedule, now: number): DueSchedule | undefined {
    try {
      const nextAt = nextCronMoment(schedule, now);
      const advanced = { ...schedule, nextAt, lastAt: schedule.nextAt };
      return { job: scheduledJob(schedule, now), advanced };
    } catch (error) {
      this.#name(schedule, reasonOf(error));
      return undefined;
    }
  }

  #name({ id, cron, timeZone }: StoredSchedule, reason: string): void {
    const text = JSON.stringify([id, cron, timeZone]);
    if (this.#named.has(text)) return;
    this.#named.add(text);
    this.#log.warn('A schedule makes no jobs.', { schedule: id, reason });
  }
}
