/** What a budget driver may be asked to hold: whole numbers of money, calls and tokens, each scope once. */
import { ToolFailure } from '../contract/errors.ts';
import type {
  BudgetLine,
  BudgetScope,
  BudgetUnit,
  Reservation,
  ReserveOutcome,
  Spending,
} from '../contract/store.ts';

/** Throws when an amount is not a whole number: money is never rounded on the way. */
export const assertAmounts = (...amounts: readonly number[]): void => {
  for (const amount of amounts) {
    if (Number.isSafeInteger(amount) && amount >= 0) continue;
    throw new ToolFailure('INTERNAL', 'A budget amount is not a whole number.');
  }
};

/** No number at all allows nothing; no limit is the largest number that can be counted exactly. */
const wholeLimit = (limit: number | undefined): number => {
  if (limit === undefined) return Number.MAX_SAFE_INTEGER;
  return Number.isNaN(limit) ? 0 : Math.floor(Math.min(limit, Number.MAX_SAFE_INTEGER));
};

const stricter = (a: BudgetScope, b: BudgetScope | undefined): Required<BudgetScope> => ({
  key: a.key,
  limitMicros: Math.min(wholeLimit(a.limitMicros), wholeLimit(b?.limitMicros)),
  limitCalls: Math.min(wholeLimit(a.limitCalls), wholeLimit(b?.limitCalls)),
  limitTokens: Math.min(wholeLimit(a.limitTokens), wholeLimit(b?.limitTokens)),
});

/** Each scope once, with its strictest limits: a scope named twice must not be charged twice. */
export const mergeScopes = (scopes: readonly BudgetScope[]): readonly Required<BudgetScope>[] => {
  // They are four or five: looking through them takes less than a map of them would.
  const merged: Required<BudgetScope>[] = [];
  for (const scope of scopes) {
    const known = merged.findIndex(({ key }) => key === scope.key);
    if (known < 0) merged.push(stricter(scope, undefined));
    else merged[known] = stricter(scope, merged[known]);
  }
  return merged;
};

/** A reservation as it is held. */
export interface Hold {
  readonly executionId: string;
  readonly scopes: readonly Required<BudgetScope>[];
  readonly amountMicros: number;
  readonly tokens: number;
}

/** Throws for amounts that are no whole numbers. */
export const toHold = (wanted: Omit<Reservation, 'executionId'>, executionId = ''): Hold => {
  const { amountMicros, tokens = 0 } = wanted;
  assertAmounts(amountMicros, tokens);
  return { executionId, scopes: mergeScopes(wanted.scopes), amountMicros, tokens };
};

export const emptyLine = (key: string): BudgetLine => ({
  key,
  spentMicros: 0,
  heldMicros: 0,
  calls: 0,
  heldCalls: 0,
  tokens: 0,
  heldTokens: 0,
});

/** What a unit still has; never below nothing, though an actual use may have gone over the limit. */
const left = (limit: number, used: number): number => Math.max(0, limit - used);

const shortOf = (
  scope: Required<BudgetScope>,
  line: BudgetLine,
  hold: Hold,
): { readonly unit: BudgetUnit; readonly available: number } | undefined => {
  const micros = left(scope.limitMicros, line.spentMicros + line.heldMicros);
  if (hold.amountMicros > micros) return { unit: 'micros', available: micros };
  const calls = left(scope.limitCalls, line.calls + line.heldCalls);
  if (calls < 1) return { unit: 'calls', available: calls };
  const tokens = left(scope.limitTokens, line.tokens + line.heldTokens);
  // No tokens left is a no, too, for a call that cannot say how many it will use.
  if (hold.tokens > tokens || (tokens === 0 && scope.limitTokens < Number.MAX_SAFE_INTEGER)) {
    return { unit: 'tokens', available: tokens };
  }
  return undefined;
};

/** Fits the hold into every one of its scopes? */
export const judgeHold = (
  hold: Hold,
  lineOf: (key: string) => BudgetLine | undefined,
): ReserveOutcome => {
  for (const scope of hold.scopes) {
    const short = shortOf(scope, lineOf(scope.key) ?? emptyLine(scope.key), hold);
    if (short) return { ok: false, scope: scope.key, ...short };
  }
  return { ok: true };
};

/** Whether more money and tokens fit into every scope of a hold. It counts as one call already. */
export const judgeMore = (
  { scopes }: Pick<Hold, 'scopes'>,
  more: Spending,
  lineOf: (key: string) => BudgetLine | undefined,
): ReserveOutcome => {
  for (const { key, limitMicros, limitTokens } of scopes) {
    const line = lineOf(key) ?? emptyLine(key);
    const micros = left(limitMicros, line.spentMicros + line.heldMicros);
    if (more.micros > micros) return { ok: false, scope: key, unit: 'micros', available: micros };
    const tokens = left(limitTokens, line.tokens + line.heldTokens);
    if (more.tokens > tokens) return { ok: false, scope: key, unit: 'tokens', available: tokens };
  }
  return { ok: true };
};

/** The answer when a call that is over asks for more. */
export const NOTHING_HELD: ReserveOutcome = Object.freeze({
  ok: false,
  scope: '',
  unit: 'micros',
  available: 0,
});

/** A reservation sent twice holds once; another one under the same id is a bug and throws. */
export const assertSameHold = (held: Hold, wanted: Hold): void => {
  const same =
    held.amountMicros === wanted.amountMicros &&
    held.tokens === wanted.tokens &&
    held.scopes.length === wanted.scopes.length &&
    held.scopes.every(({ key }, index) => key === wanted.scopes[index]?.key);
  if (!same) {
    throw new ToolFailure(
      'CONFLICT',
      'The execution holds another amount or other scopes already.',
    );
  }
};

/** Adds without leaving the numbers that can be counted exactly. */
export const added = (sum: number, more: number): number =>
  Math.min(sum + more, Number.MAX_SAFE_INTEGER);
