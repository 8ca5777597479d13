/** Budgets in PostgreSQL. The server checks and holds in one step, for the processes of all machines. */
import type {
  BudgetCount,
  BudgetLine,
  BudgetScope,
  Ledger,
  Reservation,
  ReserveOutcome,
  Spending,
} from '../../contract/store.ts';
import { fromSqlText, toSqlText } from '../../kit/text/sql-text.ts';
import {
  assertAmounts,
  assertSameHold,
  type Hold,
  judgeHold,
  NOTHING_HELD,
  toHold,
} from '../budget-amounts.ts';
import type { Statement } from './database/open-database.ts';
import type { PostgresDeps } from './postgres-deps.ts';

interface HoldRow {
  readonly execution_id: string;
  readonly amount: number;
  readonly tokens: number;
  readonly scopes: readonly Required<BudgetScope>[];
}

/** What the server answers: the outcome, or the hold that is there already, or that there is none. */
type Answer = ReserveOutcome | { readonly held: HoldRow } | { readonly nothing: true };

const fromRow = (row: HoldRow): Hold => ({
  executionId: fromSqlText(row.execution_id),
  amountMicros: row.amount,
  tokens: row.tokens,
  scopes: row.scopes.map((scope) => ({ ...scope, key: fromSqlText(scope.key) })),
});

/** Gives the scope its own name back. */
const asOutcome = (outcome: ReserveOutcome): ReserveOutcome =>
  outcome.ok ? outcome : { ...outcome, scope: fromSqlText(outcome.scope) };

const LINE = `SELECT key, spent AS "spentMicros", held AS "heldMicros", calls,
  held_calls AS "heldCalls", tokens, held_tokens AS "heldTokens" FROM @budgets`;

export class PostgresLedger implements Ledger {
  readonly #deps: PostgresDeps;
  readonly #lines: Statement;
  readonly #linesFrom: Statement;
  readonly #orphans: Statement;

  constructor(deps: PostgresDeps) {
    this.#deps = deps;
    const prepare = (sql: string) => deps.database.prepare(sql);
    this.#lines = prepare(`${LINE} WHERE key = ANY ($1::text[])`);
    this.#linesFrom = prepare(`${LINE} WHERE key >= $1 AND starts_with(key, $1) ORDER BY key`);
    this.#orphans = prepare(
      `SELECT execution_id, amount, tokens, scopes FROM @holds AS hold
       WHERE hold.owner <> $1 AND NOT EXISTS (SELECT 1 FROM @owners AS owner
         WHERE owner.id = hold.owner
         AND heartbeat_at > clock_timestamp() - lease_ms * interval '1 ms')`,
    );
  }

  async reserve(reservation: Reservation): Promise<ReserveOutcome> {
    const hold = toHold(reservation, reservation.executionId);
    const answer = await this.#deps.writers.ledger.write<Answer>({
      op: 'reserve',
      id: toSqlText(hold.executionId),
      scopes: hold.scopes.map((scope) => ({ ...scope, key: toSqlText(scope.key) })),
      amount: hold.amountMicros,
      tokens: hold.tokens,
    });
    if ('held' in answer) assertSameHold(fromRow(answer.held), hold);
    return 'ok' in answer ? asOutcome(answer) : { ok: true };
  }

  async covers(reservation: Omit<Reservation, 'executionId'>): Promise<ReserveOutcome> {
    const hold = toHold(reservation);
    const keys = hold.scopes.map(({ key }) => toSqlText(key));
    const lines = new Map<string, BudgetLine>();
    for (const line of await this.#lines.all<BudgetLine>(keys)) lines.set(line.key, line);
    return judgeHold(hold, (key) => lines.get(toSqlText(key)));
  }

  async extend(executionId: string, more: Spending): Promise<ReserveOutcome> {
    assertAmounts(more.micros, more.tokens);
    const answer = await this.#deps.writers.ledger.write<Answer>({
      op: 'extend',
      id: toSqlText(executionId),
      amount: more.micros,
      tokens: more.tokens,
    });
    return 'ok' in answer ? asOutcome(answer) : NOTHING_HELD;
  }

  async tally(counts: readonly BudgetCount[]): Promise<void> {
    for (const { calls, tokens } of counts) assertAmounts(calls, tokens);
    await this.#deps.writers.ledger.write({
      op: 'tally',
      counts: counts.map((count) => ({ ...count, key: toSqlText(count.key) })),
    });
  }

  async settle(executionId: string, actual: Spending): Promise<void> {
    assertAmounts(actual.micros, actual.tokens);
    const { micros: amount, tokens } = actual;
    const id = toSqlText(executionId);
    await this.#deps.writers.ledger.write({ op: 'end', id, amount, tokens });
  }

  async release(executionId: string): Promise<void> {
    await this.#deps.writers.ledger.write({ op: 'end', id: toSqlText(executionId) });
  }

  async orphans(): Promise<readonly Reservation[]> {
    return (await this.#orphans.all<HoldRow>(this.#deps.owner.id)).map(fromRow);
  }

  async endOrphan(executionId: string, actual?: Spending): Promise<boolean> {
    if (actual) assertAmounts(actual.micros, actual.tokens);
    return this.#deps.writers.ledger.write<boolean>({
      op: 'end orphan',
      id: toSqlText(executionId),
      ...(actual && { amount: actual.micros, tokens: actual.tokens }),
    });
  }

  async lines(prefix: string): Promise<readonly BudgetLine[]> {
    const rows = await this.#linesFrom.all<BudgetLine>(toSqlText(prefix));
    return rows.map((row) => ({ ...row, key: fromSqlText(row.key) }));
  }
}
