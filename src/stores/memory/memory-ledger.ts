/** Budgets in memory. JavaScript runs each method to its end, so every one of them is atomic. */
import type {
  BudgetLine,
  BudgetScope,
  Ledger,
  Reservation,
  ReserveOutcome,
} from '../../contract/store.ts';
import { assertMicros, assertSameHold, available, mergeScopes } from '../budget-amounts.ts';

type Line = { -readonly [K in keyof BudgetLine]: BudgetLine[K] };

export class MemoryLedger implements Ledger {
  readonly #lines = new Map<string, Line>();
  readonly #holds = new Map<string, Reservation>();

  async reserve(reservation: Reservation): Promise<ReserveOutcome> {
    assertMicros(reservation.amountMicros);
    const wanted = { ...reservation, scopes: mergeScopes(reservation.scopes) };
    const held = this.#holds.get(wanted.executionId);
    if (held) {
      assertSameHold(held, wanted);
      return { ok: true };
    }
    const outcome = this.#judge(wanted.scopes, wanted.amountMicros);
    if (!outcome.ok) return outcome;
    for (const { key } of wanted.scopes) this.#line(key).heldMicros += wanted.amountMicros;
    this.#holds.set(wanted.executionId, wanted);
    return outcome;
  }

  async covers(scopes: readonly BudgetScope[], amountMicros: number): Promise<ReserveOutcome> {
    assertMicros(amountMicros);
    return this.#judge(mergeScopes(scopes), amountMicros);
  }

  async settle(executionId: string, actualMicros: number): Promise<void> {
    assertMicros(actualMicros);
    for (const line of this.#letGo(executionId)) {
      line.spentMicros = Math.min(line.spentMicros + actualMicros, Number.MAX_SAFE_INTEGER);
      line.calls += 1;
    }
  }

  async release(executionId: string): Promise<void> {
    this.#letGo(executionId);
  }

  async orphans(): Promise<readonly Reservation[]> {
    return [];
  }

  async lines(prefix: string): Promise<readonly BudgetLine[]> {
    return [...this.#lines.values()]
      .filter(({ key }) => key.startsWith(prefix))
      .map((line) => ({ ...line }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  #judge(scopes: readonly BudgetScope[], amount: number): ReserveOutcome {
    for (const { key, limitMicros } of scopes) {
      const left = available(limitMicros, this.#lines.get(key));
      if (amount > left) return { ok: false, scope: key, availableMicros: left };
    }
    return { ok: true };
  }

  #line(key: string): Line {
    const line = this.#lines.get(key) ?? { key, spentMicros: 0, heldMicros: 0, calls: 0 };
    this.#lines.set(key, line);
    return line;
  }

  /** Ends the hold; returns the lines it lay on, none when there was no hold. */
  #letGo(executionId: string): readonly Line[] {
    const hold = this.#holds.get(executionId);
    if (!hold) return [];
    this.#holds.delete(executionId);
    const lines = hold.scopes.map(({ key }) => this.#line(key));
    for (const line of lines) line.heldMicros -= hold.amountMicros;
    return lines;
  }
}
