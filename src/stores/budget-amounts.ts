/** What a budget driver may be asked to hold: whole micro-dollars, each scope once. */
import { ToolFailure } from '../contract/errors.ts';
import type { BudgetScope, Reservation } from '../contract/store.ts';

/** Throws when an amount is not a whole number of micro-dollars: money is never rounded on the way. */
export const assertMicros = (amount: number): void => {
  if (Number.isSafeInteger(amount) && amount >= 0) return;
  throw new ToolFailure('INTERNAL', 'A budget amount is not a whole number of micro-dollars.');
};

/** No number at all allows nothing; no limit is the largest number that can be counted exactly. */
const wholeLimit = (limit: number): number =>
  Number.isNaN(limit) ? 0 : Math.floor(Math.min(limit, Number.MAX_SAFE_INTEGER));

/** Each scope once, with its strictest limit: a scope named twice must not be charged twice. */
export const mergeScopes = (scopes: readonly BudgetScope[]): readonly BudgetScope[] => {
  const limits = new Map<string, number>();
  for (const { key, limitMicros } of scopes) {
    const limit = wholeLimit(limitMicros);
    limits.set(key, Math.min(limit, limits.get(key) ?? limit));
  }
  return [...limits].map(([key, limitMicros]) => ({ key, limitMicros }));
};

/** What a scope still has; never below nothing, though an actual cost may have gone over the limit. */
export const available = (
  limitMicros: number,
  line: { readonly spentMicros: number; readonly heldMicros: number } | undefined,
): number => Math.max(0, limitMicros - (line ? line.spentMicros + line.heldMicros : 0));

/** A reservation sent twice holds once; another one under the same id is a bug and throws. */
export const assertSameHold = (held: Reservation, wanted: Reservation): void => {
  const same =
    held.amountMicros === wanted.amountMicros &&
    held.scopes.length === wanted.scopes.length &&
    held.scopes.every(({ key }, index) => key === wanted.scopes[index]?.key);
  if (!same) {
    throw new ToolFailure(
      'CONFLICT',
      'The execution holds another amount or other scopes already.',
    );
  }
};
