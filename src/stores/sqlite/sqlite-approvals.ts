/** Approvals in SQLite: decided once and used once, by conditional updates. */
import type { ApprovalRecord, ApprovalState } from '../../contract/approver.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Approvals } from '../../contract/store.ts';
import { recordText } from '../plain-json.ts';
import type { Statement } from './open-database.ts';
import { fromSqlText, toSqlText } from './sql-text.ts';
import type { SqliteParts } from './sqlite-parts.ts';

interface ApprovalRow {
  readonly record: string;
  readonly state: ApprovalState;
  readonly decided_by: string | null;
  readonly decided_at: number | null;
  readonly decision: string | null;
}

const toRecord = (row: ApprovalRow): ApprovalRecord => ({
  ...JSON.parse(row.record),
  ...(row.decision !== null && JSON.parse(row.decision)),
  state: row.state,
  ...(row.decided_by !== null && { decidedBy: fromSqlText(row.decided_by) }),
  ...(row.decided_at !== null && { decidedAt: row.decided_at }),
});

const COLUMNS = 'record, state, decided_by, decided_at, decision';

export class SqliteApprovals implements Approvals {
  readonly #parts: SqliteParts;
  readonly #insert: Statement;
  readonly #find: Statement;
  readonly #all: Statement;
  readonly #inState: Statement;
  readonly #decide: Statement;
  readonly #use: Statement;

  constructor(parts: SqliteParts) {
    this.#parts = parts;
    const prepare = (sql: string) => parts.database.prepare(sql);
    this.#insert = prepare(
      `INSERT OR IGNORE INTO approvals (id, created_at, expires_at, ${COLUMNS})
       VALUES (?, ?, ?, ?, ?, ?, ?, NULL)`,
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
  }

  async create(record: ApprovalRecord): Promise<void> {
    const text = recordText(record);
    await this.#parts.writer.write(() => {
      const { changes } = this.#insert.run(
        toSqlText(record.id),
        record.createdAt,
        record.expiresAt,
        text,
        record.state,
        record.decidedBy === undefined ? null : toSqlText(record.decidedBy),
        record.decidedAt ?? null,
      );
      if (Number(changes) > 0) return;
      throw new ToolFailure('CONFLICT', 'An approval of this id exists already.');
    });
  }

  async get(id: string): Promise<ApprovalRecord | undefined> {
    const row = await this.#parts.writer.read(
      () => this.#find.get(toSqlText(id)) as ApprovalRow | undefined,
    );
    return row && toRecord(row);
  }

  async list(state?: ApprovalState): Promise<readonly ApprovalRecord[]> {
    const rows = await this.#parts.writer.read(() =>
      state === undefined ? this.#all.all() : this.#inState.all(state),
    );
    return (rows as ApprovalRow[]).map(toRecord);
  }

  async decide(id: string, said: Parameters<Approvals['decide']>[1]): Promise<boolean> {
    const { approve, by, at, ...more } = said;
    const state = approve ? 'approved' : 'denied';
    const decision = recordText(more);
    return this.#parts.writer.write(() => {
      const done = this.#decide.run(state, toSqlText(by), at, decision, toSqlText(id));
      return Number(done.changes) > 0;
    });
  }

  use(id: string, now: number): Promise<boolean> {
    return this.#parts.writer.write(() => Number(this.#use.run(toSqlText(id), now).changes) > 0);
  }
}
