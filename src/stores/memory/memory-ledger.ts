/** Budgets in memory. JavaScript runs each method to its end, so every one of them is atomic. */
import type {
  BudgetLine,
  BudgetScope,
  Ledger,
  Reservation,
  ReserveOutcome,
} from '../../contract/store.ts';
import { assertMicros, available, mergeScopes } from '../budget-amounts.ts';
import { assertSameHold } from '../same-hold.ts';

type Line = { -readonly [K in Exclude<keyof BudgetLine, 'key'>]: BudgetLine[K] };

const judge = (
  lines: ReadonlyMap<string, Line>,
  scopes: readonly BudgetScope[],
  amount: number,
): ReserveOutcome => {
  for (const { key, limitMicros } of scopes) {
    const left = available(limitMicros, lines.get(key));
    if (amount > left) return { ok: false, scope: key, availableMicros: left };
  }
  return { ok: true };
};

export const memoryLedger = (): Ledger => {
  const lines = new Map<string, Line>();
  const holds = new Map<string, Reservation>();

  const lineOf = (key: string): Line => {
    const line = lines.get(key) ?? { spentMicros: 0, heldMicros: 0, calls: 0 };
    lines.set(key, line);
    return line;
  };
  const letGo = (executionId: string, settle?: (line: Line) => void): void => {
    const hold = holds.get(executionId);
    if (!hold) return;
    holds.delete(executionId);
    for (const { key } of hold.scopes) {
      const line = lineOf(key);
      line.heldMicros -= hold.amountMicros;
      settle?.(line);
    }
  };

  return {
    async reserve(reservation) {
      assertMicros(reservation.amountMicros);
      const wanted = { ...reservation, scopes: mergeScopes(reservation.scopes) };
      const held = holds.get(wanted.executionId);
      if (held) return assertSameHold(held, wanted);
      const outcome = judge(lines, wanted.scopes, wanted.amountMicros);
      if (!outcome.ok) return outcome;
      for (const { key } of wanted.scopes) lineOf(key).heldMicros += wanted.amountMicros;
      holds.set(wanted.executionId, wanted);
      return outcome;
    },
    async covers(scopes, amountMicros) {
      assertMicros(amountMicros);
      return judge(lines, mergeScopes(scopes), amountMicros);
    },
    async settle(executionId, actualMicros) {
      assertMicros(actualMicros);
      letGo(executionId, (line) => {
        line.spentMicros += actualMicros;
        line.calls += 1;
      });
    },
    async release(executionId) {
      letGo(executionId);
    },
    orphans: async () => [],
    lines: async (prefix) =>
      [...lines]
        .filter(([key]) => key.startsWith(prefix))
        .map(([key, line]) => ({ key, ...line }))
        .sort((a, b) => (a.key < b.key ? -1 : 1)),
  };
};
