/** Flows in SQLite. A run carries its owner, so that those of a dead process can be taken over. */
import type { Durability } from '../../contract/audit.ts';
import {
  type ChangeOptions,
  type ClaimRequest,
  type CreateOptions,
  FINISHED,
  type FlowEvent,
  type FlowFilter,
  type FlowRun,
  type Flows,
  type JournalStep,
  MAX_EVENT_BYTES_WAITING,
  MAX_EVENTS,
  type ReleaseOptions,
  type RunChange,
  type RunClaim,
} from '../../contract/flow-store.ts';
import type { Statement } from '../../kit/sqlite/open-database.ts';
import type { SqliteDeps } from '../../kit/sqlite/sqlite-deps.ts';
import { toSqlText } from '../../kit/text/sql-text.ts';
import {
  ANSWER_MARKS,
  changedRun,
  DEFAULT_LIMIT,
  EVENT_HEAD,
  isClaimable,
  nameInHead,
  notOwned,
  parseRecord,
  takenEvents,
  takenRun,
  tooManyEvents,
  waitsForAnswer,
  wakes,
} from '../flow-run.ts';
import { recordText } from '../plain-json.ts';

interface RunRow {
  readonly record: string;
  readonly owner: string | null;
}

interface DueRow {
  readonly row: number;
  readonly wakeAt: number;
  readonly id: string;
  readonly owner: string | null;
}

/** Steps as the tables hold them. */
interface StepRows {
  /** Key and record of each step. */
  readonly rows: readonly (readonly [string, string])[];
  readonly taken: readonly number[];
}

const stepRows = (steps: readonly JournalStep[]): StepRows => ({
  rows: steps.map((step) => [toSqlText(step.key), recordText(step)] as const),
  taken: takenEvents(steps),
});

/** How many due runs are read at a time. */
const PAGE = 500;

/** Finds the records that may be those of runs which an answer wakes. */
const MAY_WAIT = ANSWER_MARKS.map((mark) => `instr(record, '${mark}') > 0`).join(' OR ');
/** Finds the runs that ended long ago. */
const OLD = 'WHERE wake_at IS NULL AND finished = 1 AND updated_at < ?';

export class SqliteFlows implements Flows {
  readonly #deps: SqliteDeps;
  readonly #find: Statement;
  readonly #put: Statement;
  readonly #due: Statement;
  readonly #list: Statement;
  readonly #listWaiting: Statement;
  readonly #waitingForAnswer: Statement;
  readonly #steps: Statement;
  readonly #putStep: Statement;
  readonly #putEvent: Statement;
  readonly #takeEvent: Statement;
  readonly #isFull: Statement;
  readonly #events: Statement;
  readonly #eventHeads: Statement;
  readonly #lastEvent: Statement;
  readonly #expire: readonly Statement[];

  constructor(deps: SqliteDeps) {
    this.#deps = deps;
    const prepare = (sql: string) => deps.database.prepare(sql);
    this.#find = prepare('SELECT record, owner FROM flow_runs WHERE id = ?');
    this.#put = prepare(
      `INSERT INTO flow_runs (id, flow, user_id, status, owner, wake_at, created_at, updated_at, record)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET status = excluded.status, owner = excluded.owner,
       wake_at = excluded.wake_at, updated_at = excluded.updated_at, record = excluded.record`,
    );
    this.#due = prepare(
      `SELECT rowid AS row, wake_at AS wakeAt, id, owner FROM flow_runs
       WHERE wake_at <= ? AND (wake_at, rowid) > (?, ?) AND owner IS NOT ?
       ORDER BY wake_at, rowid LIMIT ${PAGE}`,
    );
    const list = (status: string) =>
      prepare(
        `SELECT record FROM flow_runs WHERE status = ${status} AND flow = coalesce(?, flow)
         AND user_id = coalesce(?, user_id) AND created_at < coalesce(?, 9e99)
         ORDER BY created_at DESC, id DESC LIMIT ?`,
      );
    this.#list = list('coalesce(?, status)');
    // By an index of its own, which finished runs do not fill.
    this.#listWaiting = list("'waiting'");
    this.#waitingForAnswer = prepare(
      `SELECT record FROM flow_runs WHERE status = 'waiting' AND (${MAY_WAIT})
       ORDER BY created_at DESC, id DESC LIMIT ?`,
    );
    this.#steps = prepare('SELECT record FROM flow_steps WHERE run_id = ? ORDER BY rowid');
    this.#putStep = prepare(
      `INSERT INTO flow_steps (run_id, key, record) VALUES (?, ?, ?)
       ON CONFLICT (run_id, key) DO UPDATE SET record = excluded.record`,
    );
    this.#putEvent = prepare('INSERT INTO flow_events (run_id, record) VALUES (?, ?)');
    this.#takeEvent = prepare('DELETE FROM flow_events WHERE run_id = ? AND id = ?');
    this.#isFull = prepare(
      // octet_length reads the length of a record alone, not its text.
      `SELECT 1 FROM (SELECT count(*) AS count, coalesce(sum(octet_length(record)), 0) AS bytes
         FROM flow_events WHERE run_id = ?)
       WHERE count >= ${MAX_EVENTS} OR bytes + octet_length(?) > ${MAX_EVENT_BYTES_WAITING}`,
    );
    this.#events = prepare(
      'SELECT id, record FROM flow_events WHERE run_id = ? AND id > ? ORDER BY id LIMIT ?',
    );
    this.#eventHeads = prepare(
      `SELECT id, substr(record, 1, ${EVENT_HEAD}) AS head FROM flow_events
       WHERE run_id = ? AND id > ? ORDER BY id LIMIT ?`,
    );
    this.#lastEvent = prepare('SELECT max(id) AS id FROM flow_events WHERE run_id = ?');
    this.#expire = [
      prepare(`DELETE FROM flow_steps WHERE run_id IN (SELECT id FROM flow_runs ${OLD})`),
      prepare(`DELETE FROM flow_events WHERE run_id IN (SELECT id FROM flow_runs ${OLD})`),
      prepare(`DELETE FROM flow_runs ${OLD}`),
    ];
  }

  async create(
    run: FlowRun,
    { steps = [], isReleased = false }: CreateOptions = {},
  ): Promise<boolean> {
    const { writer, owner } = this.#deps;
    const text = recordText(run);
    const rows = stepRows(steps);
    return writer.write(() => {
      if (this.#find.get(toSqlText(run.id)) !== undefined) return false;
      this.#write(run, isReleased ? null : owner.claim(), text);
      this.#putSteps(run, rows);
      return true;
    });
  }

  get(runId: string): Promise<FlowRun | undefined> {
    return this.#deps.writer.read(() => this.#row(runId)?.run);
  }

  list(filter: FlowFilter = {}): Promise<readonly FlowRun[]> {
    const { status = null, flow, userId, before = null, limit = DEFAULT_LIMIT } = filter;
    const text = (value: string | undefined) => (value === undefined ? null : toSqlText(value));
    const values = [text(flow), text(userId), before, limit] as const;
    return this.#deps.writer.read(() => {
      const rows =
        status === 'waiting' ? this.#listWaiting.all(...values) : this.#list.all(status, ...values);
      return rows.map((row) => parseRecord(row as RunRow));
    });
  }

  waitingForAnswer(limit: number): Promise<readonly FlowRun[]> {
    return this.#deps.writer.read(() => {
      const rows = this.#waitingForAnswer.all(limit) as unknown as readonly RunRow[];
      return rows.map((row) => parseRecord<FlowRun>(row)).filter(waitsForAnswer);
    });
  }

  async claim(request: ClaimRequest): Promise<readonly FlowRun[]> {
    const { now, limit } = request;
    const { writer, owner } = this.#deps;
    // Most looks find nothing: those need no transaction.
    const isAnyDue = await writer.read(() => this.#dueRows(now).next().done !== true);
    if (!isAnyDue) return [];
    return writer.write(() => {
      const isAlive = owner.aliveness();
      const runs: FlowRun[] = [];
      for (const due of this.#dueRows(now)) {
        if (runs.length >= limit) break;
        if (due.owner !== null && isAlive(due.owner)) continue;
        const run = this.#readRun(due.id)?.run;
        if (!run || !isClaimable(run, request)) continue;
        const taken = takenRun(run, now);
        this.#write(taken, owner.claim());
        runs.push(taken);
      }
      return runs;
    });
  }

  unclaimed({ now, flows, limit }: ClaimRequest): Promise<readonly FlowRun[]> {
    const { writer, owner } = this.#deps;
    return writer.read(() => {
      const isAlive = owner.aliveness();
      const runs: FlowRun[] = [];
      for (const due of this.#dueRows(now)) {
        if (runs.length >= limit) break;
        if (due.owner !== null && isAlive(due.owner)) continue;
        const run = this.#readRun(due.id)?.run;
        if (run && !flows.has(`${run.flow}@${run.version}`)) runs.push(run);
      }
      return runs;
    });
  }

  lost(claims: readonly RunClaim[]): Promise<readonly string[]> {
    return this.#deps.writer.read(() => {
      const isLost = ({ id, epoch }: RunClaim): boolean => {
        const row = this.#row(id);
        return row !== undefined && !(row.owner === this.#deps.owner.id && row.run.epoch === epoch);
      };
      return claims.filter(isLost).map(({ id }) => id);
    });
  }

  steps(runId: string): Promise<readonly JournalStep[]> {
    return this.#deps.writer.read(() =>
      this.#steps.all(toSqlText(runId)).map((row) => parseRecord<JournalStep>(row as RunRow)),
    );
  }

  async record(
    claim: RunClaim,
    steps: readonly JournalStep[],
    durability: Durability = 'written',
  ): Promise<void> {
    const rows = stepRows(steps);
    await this.#deps.writer.write(() => {
      this.#owned(claim);
      this.#putSteps(claim, rows);
    }, durability);
  }

  async release(
    claim: RunClaim,
    change: RunChange,
    { steps = [], seenEvent }: ReleaseOptions = {},
  ): Promise<FlowRun> {
    recordText(change);
    const rows = stepRows(steps);
    return this.#deps.writer.write(() => {
      const run = changedRun(this.#owned(claim), change);
      this.#putSteps(claim, rows);
      const isNews =
        seenEvent !== undefined && !FINISHED.has(run.status) && this.#hasEvent(claim, seenEvent);
      const released = isNews ? { ...run, wakeAt: change.updatedAt } : run;
      this.#write(released, null);
      return released;
    });
  }

  change(
    runId: string,
    change: RunChange,
    { onlyIdle = false }: ChangeOptions = {},
  ): Promise<boolean> {
    recordText(change);
    const { writer, owner } = this.#deps;
    return writer.write(() => {
      const row = this.#row(runId);
      if (!row || FINISHED.has(row.run.status)) return false;
      if (onlyIdle && row.owner !== null && owner.aliveness()(row.owner)) return false;
      this.#write({ ...changedRun(row.run, change), epoch: row.run.epoch + 1 }, null);
      return true;
    });
  }

  send(runId: string, event: Omit<FlowEvent, 'id'>): Promise<boolean> {
    const text = recordText(event);
    return this.#deps.writer.write(() => {
      const row = this.#row(runId);
      if (!row || FINISHED.has(row.run.status)) return false;
      if (this.#isFull.get(toSqlText(runId), text) !== undefined) throw tooManyEvents(runId);
      this.#putEvent.run(toSqlText(runId), text);
      if (wakes(row.run, event)) this.#write({ ...row.run, wakeAt: event.at }, row.owner);
      return true;
    });
  }

  async wake(runId: string, now: number): Promise<void> {
    await this.#deps.writer.write(() => this.#wake(runId, now));
  }

  events(runId: string, after = 0, limit = MAX_EVENTS): Promise<readonly FlowEvent[]> {
    return this.#deps.writer.read(() => this.#eventsAfter(runId, after, limit));
  }

  eventNames(runId: string, after = 0, limit = MAX_EVENTS) {
    return this.#deps.writer.read(() =>
      this.#eventHeads.all(toSqlText(runId), after, limit).map((row) => {
        const { id, head } = row as { readonly id: number; readonly head: string };
        const name = nameInHead(head) ?? this.#eventsAfter(runId, Number(id) - 1, 1)[0]?.name ?? '';
        return { id: Number(id), name };
      }),
    );
  }

  expire(before: number): Promise<number> {
    return this.#deps.writer.write(
      () => this.#expire.map((statement) => Number(statement.run(before).changes)).at(-1) ?? 0,
    );
  }

  #eventsAfter(runId: string, after: number, limit: number): readonly FlowEvent[] {
    return this.#events.all(toSqlText(runId), after, limit).map((row) => {
      const { id, record } = row as { readonly id: number; readonly record: string };
      return { ...parseRecord<Omit<FlowEvent, 'id'>>({ record }), id: Number(id) };
    });
  }

  /**
   * Reads all due runs, page by page: otherwise runs of other owners, or of unknown versions, would fill
   * the first page.
   */
  *#dueRows(now: number): Generator<DueRow> {
    let last: Pick<DueRow, 'row' | 'wakeAt'> | undefined = { wakeAt: -1, row: 0 };
    while (last) {
      const rows = this.#due.all(now, last.wakeAt, last.row, this.#deps.owner.id) as DueRow[];
      yield* rows;
      last = rows.length < PAGE ? undefined : rows.at(-1);
    }
  }

  #putSteps({ id }: RunClaim, { rows, taken }: StepRows): void {
    const runId = toSqlText(id);
    for (const [key, text] of rows) this.#putStep.run(runId, key, text);
    for (const eventId of taken) this.#takeEvent.run(runId, eventId);
  }

  #hasEvent({ id }: RunClaim, after: number): boolean {
    const last = this.#lastEvent.get(toSqlText(id)) as { readonly id: number | null };
    return Number(last.id ?? 0) > after;
  }

  #row(runId: string): { readonly run: FlowRun; readonly owner: string | null } | undefined {
    return this.#readRun(toSqlText(runId));
  }

  /** Reads a run by its id as the table has it. */
  #readRun(id: string): { readonly run: FlowRun; readonly owner: string | null } | undefined {
    const row = this.#find.get(id) as RunRow | undefined;
    return row && { run: parseRecord(row), owner: row.owner };
  }

  #owned({ id, epoch }: RunClaim): FlowRun {
    const row = this.#row(id);
    if (row?.owner !== this.#deps.owner.id || row.run.epoch !== epoch) throw notOwned(id);
    return row.run;
  }

  #wake(runId: string, now: number): void {
    const row = this.#row(runId);
    if (row?.run.status === 'waiting') this.#write({ ...row.run, wakeAt: now }, row.owner);
  }

  #write(run: FlowRun, owner: string | null, text = recordText(run)): void {
    const { id, flow, caller, status, wakeAt, createdAt, updatedAt } = run;
    const names = [id, flow, caller.userId].map(toSqlText);
    // A run that is worked on is due at once when its process dies.
    const due = status === 'running' ? 0 : (wakeAt ?? null);
    this.#put.run(...names, status, owner, due, createdAt, updatedAt, text);
  }
}
