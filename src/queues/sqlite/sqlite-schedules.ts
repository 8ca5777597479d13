/** Schedules in SQLite. A moment is made into a job and the schedule moved on in one transaction. */
import type { NewJob, StoredSchedule } from '../../contract/queue.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Statement } from '../../kit/sqlite/open-database.ts';
import type { SqliteDeps } from '../../kit/sqlite/sqlite-deps.ts';
import { toSqlText } from '../../kit/text/sql-text.ts';
import { type DueSchedule, DueSchedules } from '../due-schedules.ts';
import { jobText } from '../job-text.ts';

interface ScheduleRow {
  readonly record: string;
}

const scheduleOf = (row: unknown): StoredSchedule =>
  JSON.parse((row as ScheduleRow).record) as StoredSchedule;

export interface SqliteSchedulesDeps extends SqliteDeps {
  readonly runtime: Pick<Runtime, 'log'>;
}

export class SqliteSchedules {
  readonly #deps: SqliteSchedulesDeps;
  readonly #steps: DueSchedules;
  readonly #insert: (job: NewJob, now: number) => void;
  readonly #put: Statement;
  readonly #all: Statement;
  readonly #due: Statement;
  readonly #next: Statement;
  readonly #remove: Statement;

  constructor(deps: SqliteSchedulesDeps, insert: (job: NewJob, now: number) => void) {
    this.#deps = deps;
    this.#steps = new DueSchedules(deps.runtime.log);
    this.#insert = insert;
    const prepare = (sql: string) => deps.database.prepare(sql);
    this.#put = prepare(
      'INSERT OR REPLACE INTO job_schedules (id, next_at, record) VALUES (?, ?, ?)',
    );
    this.#all = prepare('SELECT record FROM job_schedules ORDER BY id');
    this.#due = prepare('SELECT record FROM job_schedules WHERE next_at <= ?');
    this.#next = prepare('SELECT min(next_at) AS at FROM job_schedules WHERE next_at > ?');
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

  /** Reads first: a transaction that finds nothing would still take the lock from others. */
  async make(now: number): Promise<number | undefined> {
    const { writer } = this.#deps;
    const idle = await writer.read(() =>
      this.#dueNow(now).length === 0 ? { nextAt: this.#nextAt(now) } : undefined,
    );
    if (idle) return idle.nextAt;
    return writer.write(() => {
      for (const { job, advanced } of this.#dueNow(now)) {
        this.#insert(job, now);
        this.#write(advanced);
      }
      return this.#nextAt(now);
    });
  }

  #dueNow(now: number): readonly DueSchedule[] {
    const schedules = this.#due.all(now).map(scheduleOf);
    return schedules.flatMap((schedule) => this.#steps.step(schedule, now) ?? []);
  }

  #write(schedule: StoredSchedule): void {
    this.#put.run(toSqlText(schedule.id), schedule.nextAt, jobText(schedule));
  }

  /** Returns the first moment to come: a schedule that is still due has none. */
  #nextAt(now: number): number | undefined {
    return (this.#next.get(now) as { readonly at: number | null }).at ?? undefined;
  }
}
