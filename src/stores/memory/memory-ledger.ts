/** Budgets in memory. JavaScript runs each method to its end, so every one of them is atomic. */
import type {
  BudgetCount,
  BudgetLine,
  Ledger,
  Reservation,
  ReserveOutcome,
  Spending,
} from '../../contract/store.ts';
import {
  added,
  assertAmounts,
  assertSameHold,
  emptyLine,
  type Hold,
  judgeHold,
  judgeMore,
  NOTHING_HELD,
  toHold,
} from '../budget-amounts.ts';

type Line = { -readonly [K in keyof BudgetLine]: BudgetLine[K] };

interface HeldLines {
  readonly hold: Hold;
  /** The lines of its scopes, in order: a line stays the same object as long as the ledger lives. */
  readonly lines: readonly Line[];
}

export class MemoryLedger implements Ledger {
  readonly #lines = new Map<string, Line>();
  readonly #holds = new Map<string, HeldLines>();

  async reserve(reservation: Reservation): Promise<ReserveOutcome> {
    const hold = toHold(reservation, reservation.executionId);
    const held = this.#holds.get(hold.executionId);
    if (held) {
      assertSameHold(held.hold, hold);
      return { ok: true };
    }
    const outcome = this.#judge(hold);
    if (!outcome.ok) return outcome;
    const lines = hold.scopes.map(({ key }) => this.#line(key));
    for (const line of lines) {
      line.heldMicros += hold.amountMicros;
      line.heldCalls += 1;
      line.heldTokens += hold.tokens;
    }
    this.#holds.set(hold.executionId, { hold, lines });
    return outcome;
  }

  async covers(reservation: Omit<Reservation, 'executionId'>): Promise<ReserveOutcome> {
    return this.#judge(toHold(reservation));
  }

  async extend(executionId: string, more: Spending): Promise<ReserveOutcome> {
    assertAmounts(more.micros, more.tokens);
    const held = this.#holds.get(executionId);
    if (!held) return NOTHING_HELD;
    const outcome = judgeMore(held.hold, more, (key) => this.#lines.get(key));
    if (!outcome.ok) return outcome;
    const { hold, lines } = held;
    for (const line of lines) {
      line.heldMicros += more.micros;
      line.heldTokens += more.tokens;
    }
    const amountMicros = hold.amountMicros + more.micros;
    const grown = { ...hold, amountMicros, tokens: hold.tokens + more.tokens };
    this.#holds.set(executionId, { hold: grown, lines });
    return outcome;
  }

  async tally(counts: readonly BudgetCount[]): Promise<void> {
    for (const { key, calls, tokens } of counts) {
      assertAmounts(calls, tokens);
      const line = this.#line(key);
      line.calls = added(line.calls, calls);
      line.tokens = added(line.tokens, tokens);
    }
  }

  async settle(executionId: string, { micros, tokens }: Spending): Promise<void> {
    assertAmounts(micros, tokens);
    for (const line of this.#endHold(executionId)) {
      line.spentMicros = added(line.spentMicros, micros);
      line.calls += 1;
      line.tokens = added(line.tokens, tokens);
    }
  }

  async release(executionId: string): Promise<void> {
    this.#endHold(executionId);
  }

  async orphans(): Promise<readonly Reservation[]> {
    return [];
  }

  async endOrphan(): Promise<boolean> {
    return false;
  }

  async lines(prefix: string): Promise<readonly BudgetLine[]> {
    return [...this.#lines.values()]
      .filter(({ key }) => key.startsWith(prefix))
      .map((line) => ({ ...line }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  #judge(hold: Hold): ReserveOutcome {
    return judgeHold(hold, (key) => this.#lines.get(key));
  }

  #line(key: string): Line {
    const existing = this.#lines.get(key);
    if (existing) return existing;
    const line = emptyLine(key);
    this.#lines.set(key, line);
    return line;
  }

  /** Ends the hold; returns the lines of its scopes, none when there was no hold. */
  #endHold(executionId: string): readonly Line[] {
    const held = this.#holds.get(executionId);
    if (!held) return [];
    this.#holds.delete(executionId);
    const { hold, lines } = held;
    for (const line of lines) {
      line.heldMicros -= hold.amountMicros;
      line.heldCalls -= 1;
      line.heldTokens -= hold.tokens;
    }
    return lines;
  }
}
