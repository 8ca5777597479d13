/** Budgets in SQLite. Looking and holding happen in one transaction, so no two calls can share money. */
import type {
  BudgetLine,
  BudgetScope,
  Ledger,
  Reservation,
  ReserveOutcome,
} from '../../contract/store.ts';
import { assertMicros, assertSameHold, available, mergeScopes } from '../budget-amounts.ts';
import type { Statement } from './open-database.ts';
import { fromSqlText, toSqlText } from './sql-text.ts';
import type { SqliteParts } from './sqlite-parts.ts';

type LineRow = BudgetLine;

interface HoldRow {
  readonly execution_id: string;
  readonly amount: number;
  readonly scopes: string;
  readonly owner: string;
}

const toReservation = (row: HoldRow): Reservation => ({
  executionId: fromSqlText(row.execution_id),
  amountMicros: row.amount,
  scopes: JSON.parse(row.scopes),
});

const LINE = 'SELECT key, spent AS spentMicros, held AS heldMicros, calls FROM budgets';

export class SqliteLedger implements Ledger {
  readonly #parts: SqliteParts;
  readonly #line: Statement;
  readonly #linesFrom: Statement;
  readonly #hold: Statement;
  readonly #holds: Statement;
  readonly #insertHold: Statement;
  readonly #deleteHold: Statement;
  readonly #addHeld: Statement;
  readonly #spend: Statement;

  constructor(parts: SqliteParts) {
    this.#parts = parts;
    const prepare = (sql: string) => parts.database.prepare(sql);
    this.#line = prepare(`${LINE} WHERE key = ?`);
    this.#linesFrom = prepare(`${LINE} WHERE key >= ? ORDER BY key`);
    this.#hold = prepare('SELECT * FROM holds WHERE execution_id = ?');
    this.#holds = prepare('SELECT * FROM holds');
    this.#insertHold = prepare(
      'INSERT INTO holds (execution_id, amount, scopes, owner) VALUES (?, ?, ?, ?)',
    );
    this.#deleteHold = prepare('DELETE FROM holds WHERE execution_id = ?');
    this.#addHeld = prepare(
      `INSERT INTO budgets (key, spent, held, calls) VALUES (?, 0, ?, 0)
       ON CONFLICT (key) DO UPDATE SET held = held + excluded.held`,
    );
    this.#spend = prepare(
      `UPDATE budgets SET held = held - ?, spent = min(spent + ?, ${Number.MAX_SAFE_INTEGER}),
       calls = calls + ? WHERE key = ?`,
    );
  }

  async reserve(reservation: Reservation): Promise<ReserveOutcome> {
    assertMicros(reservation.amountMicros);
    const wanted = { ...reservation, scopes: mergeScopes(reservation.scopes) };
    return this.#parts.writer.write(() => this.#reserve(wanted));
  }

  async covers(scopes: readonly BudgetScope[], amountMicros: number): Promise<ReserveOutcome> {
    assertMicros(amountMicros);
    const merged = mergeScopes(scopes);
    return this.#parts.writer.read(() => this.#judge(merged, amountMicros));
  }

  async settle(executionId: string, actualMicros: number): Promise<void> {
    assertMicros(actualMicros);
    await this.#parts.writer.write(() => this.#letGo(executionId, actualMicros));
  }

  release(executionId: string): Promise<void> {
    return this.#parts.writer.write(() => this.#letGo(executionId, undefined));
  }

  orphans(): Promise<readonly Reservation[]> {
    return this.#parts.writer.read(() => {
      const isAlive = this.#parts.owner.aliveness();
      const rows = this.#holds.all() as HoldRow[];
      return rows.filter(({ owner }) => !isAlive(owner)).map(toReservation);
    });
  }

  async lines(prefix: string): Promise<readonly BudgetLine[]> {
    const start = toSqlText(prefix);
    const rows = await this.#parts.writer.read(() => this.#linesFrom.all(start) as LineRow[]);
    const end = rows.findIndex(({ key }) => !key.startsWith(start));
    return (end < 0 ? rows : rows.slice(0, end)).map((row) => ({
      ...row,
      key: fromSqlText(row.key),
    }));
  }

  #reserve(wanted: Reservation): ReserveOutcome {
    const id = toSqlText(wanted.executionId);
    const held = this.#hold.get(id) as HoldRow | undefined;
    if (held) {
      assertSameHold(toReservation(held), wanted);
      return { ok: true };
    }
    const outcome = this.#judge(wanted.scopes, wanted.amountMicros);
    if (!outcome.ok) return outcome;
    for (const { key } of wanted.scopes) this.#addHeld.run(toSqlText(key), wanted.amountMicros);
    const scopes = JSON.stringify(wanted.scopes);
    this.#insertHold.run(id, wanted.amountMicros, scopes, this.#parts.owner.claim());
    return outcome;
  }

  #judge(scopes: readonly BudgetScope[], amount: number): ReserveOutcome {
    for (const { key, limitMicros } of scopes) {
      const line = this.#line.get(toSqlText(key)) as LineRow | undefined;
      const left = available(limitMicros, line);
      if (amount > left) return { ok: false, scope: key, availableMicros: left };
    }
    return { ok: true };
  }

  /** Ends the hold; with an actual amount that is spent instead. */
  #letGo(executionId: string, actual: number | undefined): void {
    const id = toSqlText(executionId);
    const row = this.#hold.get(id) as HoldRow | undefined;
    if (!row) return;
    this.#deleteHold.run(id);
    for (const { key } of toReservation(row).scopes) {
      this.#spend.run(row.amount, actual ?? 0, actual === undefined ? 0 : 1, toSqlText(key));
    }
  }
}
