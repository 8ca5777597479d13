/** Schedules in SQLite. A moment is made into a job and the schedule moved on in one transaction. */
import type { NewJob, StoredSchedule } from '../../contract/queue.ts';
import type { Statement } from '../../kit/sqlite/open-database.ts';
import type { SqliteDeps } from '../../kit/sqlite/sqlite-deps.ts';
import { toSqlText } from '../../kit/text/sql-text.ts';
import { advancedSchedule, scheduledJob } from '../job-change.ts';
import { jobText } from '../job-text.ts';

interface ScheduleRow {
  readonly record: string;
}

const scheduleOf = (row: unknown): StoredSchedule =>
  JSON.parse((row as ScheduleRow).record) as StoredSchedule;

export class SqliteSchedules {
  readonly #deps: SqliteDeps;
  readonly #insert: (job: NewJob, now: number) => void;
  readonly #put: Statement;
  readonly #all: Statement;
  readonly #due: Statement;
  readonly #next: Statement;
  readonly #remove: Statement;

  constructor(deps: SqliteDeps, insert: (job: NewJob, now: number) => void) {
    this.#deps = deps;
    this.#insert = insert;
    const prepare = (sql: string) => deps.database.prepare(sql);
    this.#put = prepare(
      'INSERT OR REPLACE INTO job_schedules (id, next_at, record) VALUES (?, ?, ?)',
    );
    this.#all = prepare('SELECT record FROM job_schedules ORDER BY id');
    this.#due = prepare('SELECT record FROM job_schedules WHERE next_at <= ?');
    this.#next = prepare('SELECT min(next_at) AS at FROM job_schedules');
    this.#remove = prepare('DELETE FROM job_schedules WHERE id = ?');
  }

  async put(schedule: StoredSchedule): Promise<void> {
    jobText(schedule);
    await this.#deps.writer.write(() => this.#write(schedule));
  }

  list(): Promise<readonly StoredSchedule[]> {
    return this.#deps.writer.read(() => this.#all.all().map(scheduleOf));
  }

  remove(scheduleId: string): Promise<boolean> {
    return this.#deps.writer.write(
      () => Number(this.#remove.run(toSqlText(scheduleId)).changes) > 0,
    );
  }

  async make(now: number): Promise<number | undefined> {
    const { writer } = this.#deps;
    const nextAt = await writer.read(() => this.#nextAt());
    if (nextAt === undefined || nextAt > now) return nextAt;
    return writer.write(() => {
      for (const schedule of this.#due.all(now).map(scheduleOf)) {
        this.#insert(scheduledJob(schedule, now), now);
        this.#write(advancedSchedule(schedule, now));
      }
      return this.#nextAt();
    });
  }

  #write(schedule: StoredSchedule): void {
    this.#put.run(toSqlText(schedule.id), schedule.nextAt, jobText(schedule));
  }

  #nextAt(): number | undefined {
    return (this.#next.get() as { readonly at: number | null }).at ?? undefined;
  }
}
