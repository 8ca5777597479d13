/** Judges what budgets can hold, for every driver: whole numbers of money, calls and tokens. */
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

/** Makes a limit a whole number. NaN allows nothing; no limit is the largest exact number. */
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

/** Merges scopes of the same key to the strictest limits: a scope must not be charged twice. */
export const mergeScopes = (scopes: readonly BudgetScope[]): readonly Required<BudgetScope>[] => {
  // There are four or five: a search through them is faster than a map.
  const merged: Required<BudgetScope>[] = [];
  for (const scope of scopes) {
    const index = merged.findIndex(({ key }) => key === scope.key);
    if (index < 0) merged.push(stricter(scope, undefined));
    else merged[index] = stricter(scope, merged[index]);
  }
  return merged;
};

/** A reservation with merged scopes, as it is held. */
export interface Hold {
  readonly executionId: string;
  readonly scopes: readonly Required<BudgetScope>[];
  readonly amountMicros: number;
  readonly tokens: number;
}

/** Makes the hold of a reservation. Throws for amounts that are no whole numbers. */
export const toHold = (
  { amountMicros, tokens = 0, scopes }: Omit<Reservation, 'executionId'>,
  executionId = '',
): Hold => {
  assertAmounts(amountMicros, tokens);
  return { executionId, scopes: mergeScopes(scopes), amountMicros, tokens };
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

/** Returns what is left of a limit; never below zero, though actual use may exceed the limit. */
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
  // Without tokens left, a call that cannot say how many it will use is refused, too.
  if (hold.tokens > tokens || (tokens === 0 && scope.limitTokens < Number.MAX_SAFE_INTEGER)) {
    return { unit: 'tokens', available: tokens };
  }
  return undefined;
};

/** Decides whether a hold fits into each of its scopes. */
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

/** Decides whether more money and tokens fit into each scope of a hold, which counts as a call already. */
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

/** The outcome for a call that is over and asks for more. */
export const NOTHING_HELD: ReserveOutcome = Object.freeze({
  ok: false,
  scope: '',
  unit: 'micros',
  available: 0,
});

/** Throws for another reservation under the same id, which is a bug; the same one twice holds once. */
export const assertSameHold = (held: Hold, hold: Hold): void => {
  const same =
    held.amountMicros === hold.amountMicros &&
    held.tokens === hold.tokens &&
    held.scopes.length === hold.scopes.length &&
    held.scopes.every(({ key }, index) => key === hold.scopes[index]?.key);
  if (!same) {
    throw new ToolFailure(
      'CONFLICT',
      'The execution holds another amount or other scopes already.',
    );
  }
};

/** Adds up to the largest exact number. */
export const added = (sum: number, more: number): number =>
  Math.min(sum + more, Number.MAX_SAFE_INTEGER);
