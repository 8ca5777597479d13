/** Reads jobs and schedules out of the database of a store, for a queue elsewhere, and deletes those it has taken. */
import type { AdoptedJob, StoredSchedule } from '../../contract/queue.ts';
import type { Database } from '../../kit/sqlite/open-database.ts';
import { deadlyJob } from '../job-change.ts';
import { MAX_DEATHS } from '../job-table.ts';
import { COLUMNS, type JobRow, jobOf } from './job-rows.ts';

export interface DepartingJob extends AdoptedJob {
  readonly row: number;
}

/** Jobs of one page: each may have a payload and a result of a megabyte. */
const PAGE = 50;

/** Converts a row. The process of an active job is dead, or the file could not have been opened. */
const departing = (row: JobRow, now: number): DepartingJob => {
  const job = jobOf(row);
  const [failures, deaths] = [Number(row.failures), Number(row.deaths)];
  const common = { row: Number(row.row), failures };
  if (job.state !== 'active') return { ...common, job, deaths };
  if (deaths + 1 < MAX_DEATHS) {
    return { ...common, job: { ...job, state: 'waiting' }, deaths: deaths + 1 };
  }
  const dead = { ...job, state: 'dead', finishedAt: now, error: deadlyJob() } as const;
  return { ...common, job: dead, deaths: deaths + 1 };
};

/** Returns the next jobs, oldest first. */
export const departingJobs = (database: Database, now: number): readonly DepartingJob[] => {
  const rows = database.prepare(`SELECT ${COLUMNS} FROM jobs ORDER BY row LIMIT ${PAGE}`);
  return (rows.all() as JobRow[]).map((row) => departing(row, now));
};

export const deleteJobs = (database: Database, jobs: readonly DepartingJob[]): void => {
  const remove = database.prepare('DELETE FROM jobs WHERE row = ?');
  for (const { row } of jobs) remove.run(row);
};

export const departingSchedules = (database: Database): readonly StoredSchedule[] =>
  (
    database.prepare('SELECT record FROM job_schedules ORDER BY id').all() as { record: string }[]
  ).map(({ record }) => JSON.parse(record) as StoredSchedule);

export const deleteSchedules = (database: Database): void => {
  database.exec('DELETE FROM job_schedules');
};

/** Counts what a file holds. */
export const countDeparting = (
  database: Database,
): { readonly jobs: number; readonly schedules: number } => {
  const count = (table: string): number =>
    Number(
      (database.prepare(`SELECT count(*) AS rows FROM ${table}`).get() as { rows: number }).rows,
    );
  return { jobs: count('jobs'), schedules: count('job_schedules') };
};
