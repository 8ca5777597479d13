/** Approvals in SQLite: decided once and used once, by conditional updates. */
import {
  type ApprovalRecord,
  type ApprovalState,
  NOBODY_IN_TIME,
} from '../../contract/approver.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Approvals, Parking, ParkOutcome } from '../../contract/store.ts';
import type { Statement } from '../../kit/sqlite/open-database.ts';
import type { SqliteDeps } from '../../kit/sqlite/sqlite-deps.ts';
import { toSqlText } from '../../kit/text/sql-text.ts';
import { type ApprovalRow, toApprovalRecord } from '../approval-row.ts';
import { recordText } from '../plain-json.ts';

const COLUMNS = 'record, state, decided_by, decided_at, decision';

export class SqliteApprovals implements Approvals {
  readonly #deps: SqliteDeps;
  readonly #insert: Statement;
  readonly #find: Statement;
  readonly #all: Statement;
  readonly #inState: Statement;
  readonly #decide: Statement;
  readonly #use: Statement;
  readonly #expire: Statement;
  readonly #countWaiting: Statement;
  readonly #ofCall: Statement;

  constructor(deps: SqliteDeps) {
    this.#deps = deps;
    const prepare = (sql: string) => deps.database.prepare(sql);
    this.#insert = prepare(
      `INSERT OR IGNORE INTO approvals
         (id, created_at, expires_at, user_id, call_key, ${COLUMNS})
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)`,
    );
    this.#find = prepare(`SELECT ${COLUMNS} FROM approvals WHERE id = ?`);
    const newest = 'ORDER BY created_at DESC, rowid DESC';
    this.#all = prepare(`SELECT ${COLUMNS} FROM approvals ${newest}`);
    this.#inState = prepare(`SELECT ${COLUMNS} FROM approvals WHERE state = ? ${newest}`);
    this.#decide = prepare(
      `UPDATE approvals SET state = ?, decided_by = ?, decided_at = ?, decision = ?
       WHERE id = ? AND state = 'waiting'`,
    );
    this.#use = prepare(
      `UPDATE approvals SET state = 'used'
       WHERE id = ? AND state = 'approved' AND expires_at > ?`,
    );
    // The index is named, because the planner would scan all open questions by `approvals_by_state`.
    this.#expire = prepare(
      `UPDATE approvals INDEXED BY approvals_waiting_by_expiry
       SET state = 'denied', decided_by = ?, decided_at = ?
       WHERE state = 'waiting' AND expires_at <= ?`,
    );
    this.#countWaiting = prepare(
      `SELECT count(*) AS open FROM approvals INDEXED BY approvals_waiting_by_user
       WHERE state = 'waiting' AND user_id = ?`,
    );
    this.#ofCall = prepare(
      `SELECT ${COLUMNS} FROM approvals INDEXED BY approvals_by_call
       WHERE call_key = ? AND state = ? ${newest}`,
    );
  }

  async create(record: ApprovalRecord): Promise<void> {
    const text = recordText(record);
    await this.#deps.writer.write(() => this.#add(record, text));
  }

  park({ record, maxWaiting, reuse, now }: Parking): Promise<ParkOutcome> {
    const text = recordText(record);
    return this.#deps.writer.write((): ParkOutcome => {
      this.#expire.run(NOBODY_IN_TIME, now, now);
      const { callKey = '' } = record;
      const same = reuse && (this.#ofCall.get(callKey, 'waiting') as ApprovalRow | undefined);
      if (same) return { state: 'same', record: toApprovalRecord(same) };
      const { open } = this.#countWaiting.get(toSqlText(record.userId)) as { open: number };
      if (Number(open) >= maxWaiting) return { state: 'full' };
      this.#add(record, text);
      return { state: 'parked' };
    });
  }

  async matching(callKey: string, state: ApprovalState): Promise<readonly ApprovalRecord[]> {
    const rows = await this.#deps.writer.read(() => this.#ofCall.all(callKey, state));
    return (rows as ApprovalRow[]).map(toApprovalRecord);
  }

  #add(record: ApprovalRecord, text: string): void {
    const { changes } = this.#insert.run(
      toSqlText(record.id),
      record.createdAt,
      record.expiresAt,
      toSqlText(record.userId),
      record.callKey ?? null,
      text,
      record.state,
      record.decidedBy === undefined ? null : toSqlText(record.decidedBy),
      record.decidedAt ?? null,
    );
    if (Number(changes) > 0) return;
    throw new ToolFailure('CONFLICT', 'An approval of this id exists already.');
  }

  async get(id: string): Promise<ApprovalRecord | undefined> {
    const row = await this.#deps.writer.read(
      () => this.#find.get(toSqlText(id)) as ApprovalRow | undefined,
    );
    return row && toApprovalRecord(row);
  }

  async list(state?: ApprovalState): Promise<readonly ApprovalRecord[]> {
    const rows = await this.#deps.writer.read(() =>
      state === undefined ? this.#all.all() : this.#inState.all(state),
    );
    return (rows as ApprovalRow[]).map(toApprovalRecord);
  }

  async decide(id: string, answer: Parameters<Approvals['decide']>[1]): Promise<boolean> {
    const { approve, by, at, ...rest } = answer;
    const state = approve ? 'approved' : 'denied';
    const decision = recordText(rest);
    return this.#deps.writer.write(() => {
      const done = this.#decide.run(state, toSqlText(by), at, decision, toSqlText(id));
      return Number(done.changes) > 0;
    });
  }

  use(id: string, now: number): Promise<boolean> {
    return this.#deps.writer.write(() => Number(this.#use.run(toSqlText(id), now).changes) > 0);
  }
}
