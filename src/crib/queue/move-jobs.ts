/**
 * Moves jobs, dead ones and schedules from the database of a store to a queue elsewhere. Each page
 * is deleted here after the queue has taken it. After an interruption in between, the next run
 * deletes the page, and the queue does not take it twice, because the ids are the same.
 */
import type { Queue } from '../../contract/queue.ts';
import type { Runtime } from '../../contract/runtime.ts';
import {
  countDeparting,
  deleteJobs,
  deleteSchedules,
  departingJobs,
  departingSchedules,
} from '../../queues/sqlite/departing-jobs.ts';
import {
  inTransaction,
  type UnusedFile,
  withUnusedDatabase,
} from '../../stores/sqlite/unused-database.ts';

export interface MoveJobsRequest {
  /** The database file. */
  readonly from: UnusedFile;
  readonly to: Queue;
  readonly runtime: Runtime;
  onJobs?(moved: number, total: number): void;
}

export interface MovedJobs {
  readonly jobs: number;
  readonly schedules: number;
  /** Jobs and schedules whose ids the queue had already; they stay as they are. */
  readonly present: number;
}

/** Counts the jobs and schedules of a file. */
export const countJobs = (
  from: UnusedFile,
  runtime: Runtime,
): Promise<{ readonly jobs: number; readonly schedules: number }> =>
  withUnusedDatabase(from, runtime, async (database) => countDeparting(database));

export const moveJobs = ({ from, to, runtime, onJobs }: MoveJobsRequest): Promise<MovedJobs> =>
  withUnusedDatabase(from, runtime, async (database) => {
    const total = countDeparting(database).jobs;
    const moved = { jobs: 0, schedules: 0, present: 0 };
    const adopt: NonNullable<Queue['adopt']> = async (jobs, schedules) => {
      if (to.adopt) return to.adopt(jobs, schedules);
      throw new TypeError('This queue cannot take over jobs.');
    };
    // Schedules first: a job that falls due meanwhile is made there, under the same id.
    await inTransaction(database, runtime, async () => {
      const schedules = departingSchedules(database);
      const adopted = await adopt([], schedules);
      moved.schedules = adopted.schedules.filter(Boolean).length;
      moved.present = schedules.length - moved.schedules;
      deleteSchedules(database);
    });
    for (let isMore = true; isMore; ) {
      isMore = await inTransaction(database, runtime, async () => {
        const page = departingJobs(database, runtime.now());
        const adopted = await adopt(page, []);
        const fresh = adopted.jobs.filter(Boolean).length;
        moved.jobs += fresh;
        moved.present += page.length - fresh;
        deleteJobs(database, page);
        return page.length > 0;
      });
      onJobs?.(moved.jobs, total);
    }
    return moved;
  });
