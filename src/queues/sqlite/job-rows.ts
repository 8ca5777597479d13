/** The rows of the table of jobs, and the statements that are chosen by a filter. */
import type { Job, JobCounts, JobFilter, JobState, NewJob } from '../../contract/queue.ts';
import type { Database, SqlValue } from '../../kit/sqlite/open-database.ts';
import { fromSqlText, toSqlText } from '../../kit/text/sql-text.ts';
import { DEFAULT_LIMIT, NO_JOBS } from '../job-table.ts';

export interface JobRow {
  readonly row: number;
  readonly state: JobState;
  readonly run_at: number;
  readonly attempts: number;
  readonly failures: number;
  readonly deaths: number;
  readonly epoch: number;
  readonly priority: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  readonly record: string;
  readonly progress: string | null;
  readonly result: string | null;
  readonly error: string | null;
}

export const COLUMNS = `row, state, run_at, attempts, failures, deaths, epoch, priority, started_at,
  finished_at, record, progress, result, error`;

const parsed = (text: string | null): unknown => (text === null ? undefined : JSON.parse(text));

export const jobOf = (row: JobRow): Job => {
  const job: Record<string, unknown> = JSON.parse(row.record);
  const progress = parsed(row.progress);
  const result = parsed(row.result);
  job.runAt = row.run_at;
  job.state = row.state;
  job.attempts = Number(row.attempts);
  if (progress !== undefined) job.progress = progress;
  if (row.started_at !== null) job.startedAt = row.started_at;
  if (row.finished_at !== null) job.finishedAt = row.finished_at;
  if (result !== undefined) job.result = result;
  if (row.error !== null) job.error = JSON.parse(row.error);
  return job as unknown as Job;
};

/** The values of a new row: id, queue, type, user, state, priority, moments, record. */
export const valuesOf = (job: NewJob, record: string, now: number): SqlValue[] => [
  toSqlText(job.id),
  toSqlText(job.queue),
  toSqlText(job.type),
  toSqlText(job.caller.userId),
  job.runAt > now ? 'delayed' : 'waiting',
  job.priority,
  job.runAt,
  job.createdAt,
  record,
];

/** Lists by a statement that names only the columns of the filter, so that their indexes are used. */
export const listRows = (database: Database, filter: JobFilter): readonly JobRow[] => {
  const { queue, type, state, userId, before, limit = DEFAULT_LIMIT } = filter;
  const parts: readonly (readonly [string, SqlValue | undefined])[] = [
    ['queue = ?', queue === undefined ? undefined : toSqlText(queue)],
    ['type = ?', type === undefined ? undefined : toSqlText(type)],
    ['user_id = ?', userId === undefined ? undefined : toSqlText(userId)],
    ['state = ?', state],
    ['created_at < ?', before],
  ];
  const used = parts.filter(([, value]) => value !== undefined);
  const where = used.length > 0 ? `WHERE ${used.map(([text]) => text).join(' AND ')}` : '';
  const statement = database.prepare(
    `SELECT ${COLUMNS} FROM jobs ${where} ORDER BY created_at DESC, row DESC LIMIT ?`,
  );
  return statement.all(...used.map(([, value]) => value as SqlValue), limit) as JobRow[];
};

const COUNTS = [
  ...(['waiting', 'delayed', 'active'] as const).map(
    (state) =>
      `SELECT queue, '${state}' AS state, count(*) AS jobs FROM jobs WHERE state = '${state}' GROUP BY queue`,
  ),
  `SELECT queue, state, count(*) AS jobs FROM jobs WHERE finished_at IS NOT NULL
   GROUP BY state, queue`,
];

/** Counts by the partial indexes, without reading the jobs. */
export const countRows = (database: Database): Readonly<Record<string, JobCounts>> => {
  const counts = new Map<string, Record<JobState, number>>();
  for (const sql of COUNTS) {
    for (const each of database.prepare(sql).all()) {
      const { queue, state, jobs } = each as { queue: string; state: JobState; jobs: number };
      const line = counts.get(queue) ?? { ...NO_JOBS };
      line[state] = Number(jobs);
      counts.set(queue, line);
    }
  }
  return Object.fromEntries([...counts].map(([queue, line]) => [fromSqlText(queue), line]));
};
