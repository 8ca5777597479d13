/** Reserves money and tokens in the ledger for calls: before they run, and when they spend more. */
import type {
  BudgetScope,
  Ledger,
  Reservation,
  ReserveOutcome,
  Spending,
} from '../../contract/store.ts';
import type { Most } from '../../governance/ledger/most-cost.ts';
import type { HoldMore } from './purse.ts';

export type RefusedHold = Extract<ReserveOutcome, { ok: false }>;

export const NOTHING: Spending = Object.freeze({ micros: 0, tokens: 0 });

/** How often a smaller hold is tried when others draw on the same budget. */
const MAX_HOLD_TRIES = 5;

/**
 * The suffix of the hold that counts a call against the tool's free tier; the hold of its money has no suffix.
 */
const FREE_HOLD = ':free';
export const freeHoldOf = (executionId: string): string => executionId + FREE_HOLD;
export const callOfFreeHold = (hold: string): string =>
  hold.endsWith(FREE_HOLD) ? hold.slice(0, -FREE_HOLD.length) : hold;

export const limitsTokens = (scopes: readonly BudgetScope[]): boolean =>
  scopes.some(({ limitTokens }) => limitTokens !== undefined);

/** Returns the least that must be left of the budget: the whole price, or the known part of an open one. */
export const leastMicros = (most: Most): number =>
  most.openMicros ? Math.max(most.micros, 1) : most.micros;

export interface HeldCall {
  readonly executionId: string;
  readonly scopes: readonly BudgetScope[];
}

/** Holds the most a call can cost; where nobody can tell it, what is left, up to `unknown`. */
export const reserveMost = async (
  ledger: Pick<Ledger, 'reserve'>,
  { executionId, scopes }: HeldCall,
  { most, unknown }: { readonly most: Most; readonly unknown: Spending },
): Promise<{ readonly outcome: ReserveOutcome; readonly held: Spending }> => {
  const holdsTokens = most.openTokens && limitsTokens(scopes);
  let micros = most.openMicros ? Math.max(most.micros, unknown.micros, 1) : most.micros;
  let tokens = holdsTokens ? Math.max(most.tokens, unknown.tokens) : most.tokens;
  for (let tries = 1; ; tries++) {
    const reservation: Reservation = { executionId, scopes, amountMicros: micros, tokens };
    const outcome = await ledger.reserve(reservation);
    if (outcome.ok || tries === MAX_HOLD_TRIES) return { outcome, held: { micros, tokens } };
    const { unit, available } = outcome;
    if (unit === 'micros' && most.openMicros && available >= leastMicros(most)) {
      micros = available;
    } else if (unit === 'tokens' && holdsTokens && available >= Math.max(most.tokens, 1)) {
      tokens = available;
    } else return { outcome, held: NOTHING };
  }
};

/** Returns how a call holds more than it has: the ledger checks and reserves in one step. */
export const holdMoreFor = (
  ledger: Pick<Ledger, 'reserve' | 'extend'>,
  { executionId, scopes }: HeldCall,
  hasHold: boolean,
): HoldMore => {
  let isHeld = hasHold;
  const hold = ({ micros, tokens }: Spending): Promise<ReserveOutcome> => {
    if (isHeld) return ledger.extend(executionId, { micros, tokens });
    return ledger.reserve({ executionId, scopes, amountMicros: micros, tokens });
  };
  return async (need, wish) => {
    let amount = wish;
    for (let tries = 1; tries <= MAX_HOLD_TRIES; tries++) {
      const outcome = await hold(amount);
      if (outcome.ok) {
        isHeld = true;
        return amount;
      }
      const { unit, available } = outcome;
      if (unit === 'calls' || available < need[unit]) return undefined;
      amount = { ...amount, [unit]: available };
    }
    return undefined;
  };
};
