/**
 * The table of jobs in the database of the store. Adds, claims and ends of one turn of the event loop
 * share one transaction and one sync. A job carries the process that has it, so that those of a dead one
 * are handed out again, and an epoch, so that the late end of a process that was frozen is refused.
 */
import type { Job, JobCounts, JobFilter, NewJob, StoredSchedule } from '../../contract/queue.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Database, Statement } from '../../kit/sqlite/open-database.ts';
import type { SqliteDeps } from '../../kit/sqlite/sqlite-deps.ts';
import { toSqlText } from '../../kit/text/sql-text.ts';
import { deadlyJob } from '../job-change.ts';
import {
  type Claimed,
  type ClaimRequest,
  type JobChange,
  type JobClaim,
  type JobTable,
  MAX_DEATHS,
} from '../job-table.ts';
import { jobText } from '../job-text.ts';
import { COLUMNS, countRows, type JobRow, jobOf, listRows, valuesOf } from './job-rows.ts';
import { SqliteRates } from './sqlite-rates.ts';
import { SqliteSchedules } from './sqlite-schedules.ts';

export interface SqliteJobsDeps extends SqliteDeps {
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
}

const HELD = "WHERE row = ? AND epoch = ? AND owner = ? AND state = 'active'";

const SQL = {
  add: `INSERT INTO jobs (id, queue, type, user_id, state, priority, run_at, created_at, record)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
  find: `SELECT ${COLUMNS} FROM jobs WHERE id = ?`,
  cancel: `UPDATE jobs SET state = 'cancelled', finished_at = ?, owner = NULL
    WHERE id = ? AND state IN ('waiting', 'delayed', 'active')`,
  requeue: `UPDATE jobs SET state = 'waiting', run_at = ?, attempts = 0, failures = 0, deaths = 0,
    finished_at = NULL, error = NULL WHERE id = ? AND state IN ('dead', 'cancelled')`,
  remove: "DELETE FROM jobs WHERE id = ? AND state <> 'active'",
  expire: `DELETE FROM jobs WHERE finished_at IS NOT NULL AND state IN ('completed', 'cancelled')
    AND finished_at < ?`,
  isWaiting: "SELECT 1 FROM jobs WHERE state = 'waiting' AND queue = ? LIMIT 1",
  nextAt: "SELECT min(run_at) AS at FROM jobs WHERE state = 'delayed' AND queue = ?",
  promote: `UPDATE jobs SET state = 'waiting' WHERE state = 'delayed' AND queue = ? AND run_at <= ?`,
  claim: `UPDATE jobs SET state = 'active', owner = ?, epoch = epoch + 1, attempts = attempts + 1,
    started_at = ? WHERE row IN (SELECT row FROM jobs WHERE state = 'waiting' AND queue = ?
    ORDER BY priority, row LIMIT ?) RETURNING ${COLUMNS}`,
  complete: `UPDATE jobs SET state = 'completed', result = ?, error = NULL, finished_at = ?,
    owner = NULL ${HELD}`,
  fail: `UPDATE jobs SET state = ?, error = ?, run_at = coalesce(?, run_at), finished_at = ?,
    failures = failures + 1, owner = NULL ${HELD}`,
  giveBack: `UPDATE jobs SET state = iif(?1 IS NULL, 'waiting', 'delayed'),
    run_at = coalesce(?1, run_at), attempts = attempts - 1, owner = NULL
    WHERE row = ?2 AND epoch = ?3 AND owner = ?4 AND state = 'active'`,
  progress: `UPDATE jobs SET progress = ? ${HELD}`,
  isHeld: `SELECT 1 FROM jobs ${HELD}`,
  owners: "SELECT DISTINCT owner FROM jobs WHERE state = 'active'",
  release: `UPDATE jobs SET state = iif(deaths + 1 < ${MAX_DEATHS}, 'waiting', 'dead'),
    deaths = deaths + 1, owner = NULL, finished_at = iif(deaths + 1 < ${MAX_DEATHS}, NULL, ?),
    error = iif(deaths + 1 < ${MAX_DEATHS}, error, ?) WHERE state = 'active' AND owner = ?`,
  version: 'PRAGMA data_version',
} as const;

const prepareAll = (database: Database): Readonly<Record<keyof typeof SQL, Statement>> => {
  const statements = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)]);
  return Object.fromEntries(statements) as Record<keyof typeof SQL, Statement>;
};

const byOrder = (one: JobRow, other: JobRow): number =>
  one.priority - other.priority || one.row - other.row;

export class SqliteJobs implements JobTable {
  readonly #deps: SqliteJobsDeps;
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>;
  readonly #schedules: SqliteSchedules;
  readonly #rates: SqliteRates;
  #version: number;

  constructor(deps: SqliteJobsDeps) {
    this.#deps = deps;
    this.#sql = prepareAll(deps.database);
    this.#schedules = new SqliteSchedules(deps, (job, now) => this.#insert(job, now));
    this.#rates = new SqliteRates(deps.database);
    this.#version = this.#readVersion();
  }

  add(jobs: readonly NewJob[]): Promise<readonly boolean[]> {
    const { writer, runtime } = this.#deps;
    const now = runtime.now();
    // Outside the transaction: what cannot be written must not fail the others.
    const rows = jobs.map((job) => valuesOf(job, jobText(job), now));
    return writer.write(() =>
      rows.map((values) => Number(this.#sql.add.run(...values).changes) > 0),
    );
  }

  get(jobId: string): Promise<Job | undefined> {
    return this.#deps.writer.read(() => {
      const row = this.#sql.find.get(toSqlText(jobId)) as JobRow | undefined;
      return row && jobOf(row);
    });
  }

  list(filter: JobFilter): Promise<readonly Job[]> {
    const { writer, database } = this.#deps;
    return writer.read(() => listRows(database, filter).map(jobOf));
  }

  counts(): Promise<Readonly<Record<string, JobCounts>>> {
    const { writer, database } = this.#deps;
    return writer.read(() => countRows(database));
  }

  cancel(jobId: string, now: number): Promise<boolean> {
    return this.#changes(() => this.#sql.cancel.run(now, toSqlText(jobId)));
  }

  requeue(jobId: string, now: number): Promise<boolean> {
    return this.#changes(() => this.#sql.requeue.run(now, toSqlText(jobId)));
  }

  remove(jobId: string): Promise<boolean> {
    return this.#changes(() => this.#sql.remove.run(toSqlText(jobId)));
  }

  expire(before: number): Promise<number> {
    return this.#deps.writer.write(() => Number(this.#sql.expire.run(before).changes));
  }

  /** Reads first: a transaction that finds nothing would still take the lock from others. */
  async claim(request: ClaimRequest): Promise<Claimed> {
    const { writer } = this.#deps;
    const queue = toSqlText(request.queue);
    const idle = await writer.read(() => this.#idle(queue, request.now()));
    return idle ?? writer.write(() => this.#claim(queue, request));
  }

  end({ row, epoch }: JobClaim, change: JobChange): Promise<boolean> {
    const held = [row, epoch, this.#deps.owner.id] as const;
    if (change.state === 'waiting') {
      return this.#changes(() => this.#sql.giveBack.run(change.runAt ?? null, ...held));
    }
    if (change.state === 'completed') {
      const { result, finishedAt } = change;
      const text = result === undefined ? null : jobText(result);
      return this.#changes(() => this.#sql.complete.run(text, finishedAt, ...held));
    }
    const error = jobText(change.error);
    const moments =
      change.state === 'dead'
        ? ([null, change.finishedAt] as const)
        : ([change.runAt, null] as const);
    return this.#changes(() => this.#sql.fail.run(change.state, error, ...moments, ...held));
  }

  async progress({ row, epoch }: JobClaim, value: unknown): Promise<void> {
    const { writer, owner } = this.#deps;
    const text = jobText(value ?? null);
    await writer.write(() => this.#sql.progress.run(text, row, epoch, owner.id), 'written');
  }

  lost(claims: readonly JobClaim[]): Promise<readonly JobClaim[]> {
    const { writer, owner } = this.#deps;
    return writer.read(() =>
      claims.filter(({ row, epoch }) => this.#sql.isHeld.get(row, epoch, owner.id) === undefined),
    );
  }

  async recover(now: number): Promise<void> {
    const { writer } = this.#deps;
    const dead = await writer.read(() => this.#deadOwners());
    if (dead.length === 0) return;
    const error = jobText(deadlyJob());
    // Asked again inside the transaction: one that was only slow may have come back.
    await writer.write(() => {
      for (const owner of this.#deadOwners()) this.#sql.release.run(now, error, owner);
    });
  }

  putSchedule(schedule: StoredSchedule): Promise<void> {
    return this.#schedules.put(schedule);
  }

  schedules(): Promise<readonly StoredSchedule[]> {
    return this.#schedules.list();
  }

  removeSchedule(scheduleId: string): Promise<boolean> {
    return this.#schedules.remove(scheduleId);
  }

  makeScheduled(now: number): Promise<number | undefined> {
    return this.#schedules.make(now);
  }

  hasForeignWrites(): boolean {
    const version = this.#readVersion();
    const isChanged = version !== this.#version;
    this.#version = version;
    return isChanged;
  }

  #changes(work: () => { readonly changes: number | bigint }): Promise<boolean> {
    return this.#deps.writer.write(() => Number(work().changes) > 0);
  }

  #insert(job: NewJob, now: number): void {
    this.#sql.add.run(...valuesOf(job, jobText(job), now));
  }

  /** Returns what to answer when the queue has no job to hand out now. */
  #idle(queue: string, now: number): Claimed | undefined {
    if (this.#sql.isWaiting.get(queue) !== undefined) return undefined;
    const nextAt = this.#nextAt(queue);
    if (nextAt === undefined) return { jobs: [] };
    return nextAt > now ? { jobs: [], nextAt } : undefined;
  }

  #nextAt(queue: string): number | undefined {
    return (this.#sql.nextAt.get(queue) as { readonly at: number | null }).at ?? undefined;
  }

  #claim(queue: string, request: ClaimRequest): Claimed {
    const { owner } = this.#deps;
    const now = request.now();
    this.#sql.promote.run(queue, now);
    const { limit, freeAt } = this.#rates.allowed(queue, request, now);
    const rows =
      limit > 0 ? (this.#sql.claim.all(owner.claim(), now, queue, limit) as JobRow[]) : [];
    if (request.rate) this.#rates.count(queue, rows.length, now);
    const jobs = rows.sort(byOrder).map((row) => {
      const job = jobOf(row);
      const claim = { id: job.id, row: Number(row.row), epoch: Number(row.epoch) };
      const isLastChance = Number(row.deaths) + 1 >= MAX_DEATHS;
      return { claim, job, failures: Number(row.failures), isLastChance };
    });
    const moments = [this.#nextAt(queue), freeAt].filter((each) => each !== undefined);
    return moments.length === 0 ? { jobs } : { jobs, nextAt: Math.min(...moments) };
  }

  #deadOwners(): readonly string[] {
    const isAlive = this.#deps.owner.aliveness();
    return (this.#sql.owners.all() as { readonly owner: string }[])
      .map(({ owner }) => owner)
      .filter((owner) => !isAlive(owner));
  }

  #readVersion(): number {
    return Number((this.#sql.version.get() as { readonly data_version: number }).data_version);
  }
}
