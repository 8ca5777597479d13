/** Budgets in SQLite. One transaction checks and holds, so that no two calls hold the same money. */
import type {
  BudgetCount,
  BudgetLine,
  Ledger,
  Reservation,
  ReserveOutcome,
  Spending,
} from '../../contract/store.ts';
import type { Statement } from '../../kit/sqlite/open-database.ts';
import type { SqliteDeps } from '../../kit/sqlite/sqlite-deps.ts';
import { fromSqlText, toSqlText } from '../../kit/text/sql-text.ts';
import {
  assertAmounts,
  assertSameHold,
  type Hold,
  judgeHold,
  judgeMore,
  mergeScopes,
  NOTHING_HELD,
  toHold,
} from '../budget-amounts.ts';

interface HoldRow {
  readonly execution_id: string;
  readonly amount: number;
  readonly tokens: number;
  readonly scopes: string;
  readonly owner: string;
}

const fromRow = (row: HoldRow): Hold => ({
  executionId: fromSqlText(row.execution_id),
  amountMicros: row.amount,
  tokens: row.tokens,
  // Merged anew: a hold of an older version names no limits of calls and tokens.
  scopes: mergeScopes(JSON.parse(row.scopes)),
});

const LINE = `SELECT key, spent AS spentMicros, held AS heldMicros, calls, held_calls AS heldCalls,
  tokens, held_tokens AS heldTokens FROM budgets`;
const MAX = Number.MAX_SAFE_INTEGER;

export class SqliteLedger implements Ledger {
  readonly #deps: SqliteDeps;
  readonly #line: Statement;
  readonly #linesFrom: Statement;
  readonly #hold: Statement;
  readonly #holds: Statement;
  readonly #insertHold: Statement;
  readonly #deleteHold: Statement;
  readonly #addHeld: Statement;
  readonly #spend: Statement;
  readonly #addMore: Statement;
  readonly #growHold: Statement;
  readonly #count: Statement;

  constructor(deps: SqliteDeps) {
    this.#deps = deps;
    const prepare = (sql: string) => deps.database.prepare(sql);
    this.#line = prepare(`${LINE} WHERE key = ?`);
    this.#linesFrom = prepare(`${LINE} WHERE key >= ? ORDER BY key`);
    this.#hold = prepare('SELECT * FROM holds WHERE execution_id = ?');
    this.#holds = prepare('SELECT * FROM holds');
    this.#insertHold = prepare(
      'INSERT INTO holds (execution_id, amount, tokens, scopes, owner) VALUES (?, ?, ?, ?, ?)',
    );
    this.#deleteHold = prepare('DELETE FROM holds WHERE execution_id = ?');
    this.#addHeld = prepare(
      `INSERT INTO budgets (key, spent, held, calls, held_calls, held_tokens)
       VALUES (?, 0, ?, 0, 1, ?)
       ON CONFLICT (key) DO UPDATE SET held = held + excluded.held,
       held_calls = held_calls + 1, held_tokens = held_tokens + excluded.held_tokens`,
    );
    this.#spend = prepare(
      `UPDATE budgets SET held = held - ?, held_calls = max(held_calls - 1, 0),
       held_tokens = held_tokens - ?, spent = min(spent + ?, ${MAX}), calls = calls + ?,
       tokens = min(tokens + ?, ${MAX}) WHERE key = ?`,
    );
    this.#addMore = prepare(
      'UPDATE budgets SET held = held + ?, held_tokens = held_tokens + ? WHERE key = ?',
    );
    this.#growHold = prepare(
      'UPDATE holds SET amount = amount + ?, tokens = tokens + ? WHERE execution_id = ?',
    );
    this.#count = prepare(
      `INSERT INTO budgets (key, spent, held, calls, tokens) VALUES (?, 0, 0, ?, ?)
       ON CONFLICT (key) DO UPDATE SET calls = min(calls + excluded.calls, ${MAX}),
       tokens = min(tokens + excluded.tokens, ${MAX})`,
    );
  }

  async reserve(reservation: Reservation): Promise<ReserveOutcome> {
    const hold = toHold(reservation, reservation.executionId);
    return this.#deps.writer.write(() => this.#reserve(hold));
  }

  async covers(reservation: Omit<Reservation, 'executionId'>): Promise<ReserveOutcome> {
    const hold = toHold(reservation);
    return this.#deps.writer.read(() => this.#judge(hold));
  }

  async extend(executionId: string, more: Spending): Promise<ReserveOutcome> {
    assertAmounts(more.micros, more.tokens);
    return this.#deps.writer.write(() => this.#extend(toSqlText(executionId), more));
  }

  async tally(counts: readonly BudgetCount[]): Promise<void> {
    for (const { calls, tokens } of counts) assertAmounts(calls, tokens);
    await this.#deps.writer.write(() => {
      for (const { key, calls, tokens } of counts) this.#count.run(toSqlText(key), calls, tokens);
    });
  }

  async settle(executionId: string, actual: Spending): Promise<void> {
    assertAmounts(actual.micros, actual.tokens);
    await this.#deps.writer.write(() => this.#endHold(executionId, actual));
  }

  release(executionId: string): Promise<void> {
    return this.#deps.writer.write(() => this.#endHold(executionId, undefined));
  }

  orphans(): Promise<readonly Reservation[]> {
    return this.#deps.writer.read(() => {
      const isAlive = this.#deps.owner.aliveness();
      const rows = this.#holds.all() as HoldRow[];
      return rows.filter(({ owner }) => !isAlive(owner)).map(fromRow);
    });
  }

  endOrphan(executionId: string, actual?: Spending): Promise<boolean> {
    if (actual) assertAmounts(actual.micros, actual.tokens);
    const { writer, owner } = this.#deps;
    return writer.write(() => {
      const row = this.#hold.get(toSqlText(executionId)) as HoldRow | undefined;
      if (!row || owner.aliveness()(row.owner)) return false;
      this.#endHold(executionId, actual);
      return true;
    });
  }

  async lines(prefix: string): Promise<readonly BudgetLine[]> {
    const start = toSqlText(prefix);
    const rows = await this.#deps.writer.read(() => this.#linesFrom.all(start) as BudgetLine[]);
    const end = rows.findIndex(({ key }) => !key.startsWith(start));
    return (end < 0 ? rows : rows.slice(0, end)).map((row) => ({
      ...row,
      key: fromSqlText(row.key),
    }));
  }

  #reserve(hold: Hold): ReserveOutcome {
    const id = toSqlText(hold.executionId);
    const held = this.#hold.get(id) as HoldRow | undefined;
    if (held) {
      assertSameHold(fromRow(held), hold);
      return { ok: true };
    }
    const outcome = this.#judge(hold);
    if (!outcome.ok) return outcome;
    const { amountMicros, tokens } = hold;
    for (const { key } of hold.scopes) this.#addHeld.run(toSqlText(key), amountMicros, tokens);
    const scopes = JSON.stringify(hold.scopes);
    this.#insertHold.run(id, amountMicros, tokens, scopes, this.#deps.owner.claim());
    return outcome;
  }

  #extend(id: string, more: Spending): ReserveOutcome {
    const row = this.#hold.get(id) as HoldRow | undefined;
    if (!row) return NOTHING_HELD;
    const hold = fromRow(row);
    const outcome = judgeMore(hold, more, (key) => this.#lineOf(key));
    if (!outcome.ok) return outcome;
    for (const { key } of hold.scopes) this.#addMore.run(more.micros, more.tokens, toSqlText(key));
    this.#growHold.run(more.micros, more.tokens, id);
    return outcome;
  }

  #lineOf(key: string): BudgetLine | undefined {
    return this.#line.get(toSqlText(key)) as BudgetLine | undefined;
  }

  #judge(hold: Hold): ReserveOutcome {
    return judgeHold(hold, (key) => this.#lineOf(key));
  }

  /** Ends the hold; books the actual amount where there is one. */
  #endHold(executionId: string, actual: Spending | undefined): void {
    const id = toSqlText(executionId);
    const row = this.#hold.get(id) as HoldRow | undefined;
    if (!row) return;
    this.#deleteHold.run(id);
    const { micros, tokens } = actual ?? { micros: 0, tokens: 0 };
    for (const { key } of fromRow(row).scopes) {
      const calls = actual === undefined ? 0 : 1;
      this.#spend.run(row.amount, row.tokens, micros, calls, tokens, toSqlText(key));
    }
  }
}
