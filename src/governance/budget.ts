/** Which budgets a call draws on. The ledger in the store does the counting. */
import type { Caller } from '../contract/caller.ts';
import type { BudgetScope } from '../contract/store.ts';
import { toMicros } from './estimate-cost.ts';

export interface BudgetLimits {
  readonly dailyUsd: number;
  readonly perTool?: Readonly<Record<string, number>>;
}

const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);

/** The user's day, and the tool's day where it has a limit of its own. */
export const budgetScopes = (
  limits: BudgetLimits,
  call: { readonly caller: Caller; readonly tool: string; readonly now: number },
): readonly BudgetScope[] => {
  const day = dayOf(call.now);
  const scopes: BudgetScope[] = [
    { key: `user:${call.caller.userId}:${day}`, limitMicros: toMicros(limits.dailyUsd) },
  ];
  const perTool = limits.perTool;
  if (perTool && Object.hasOwn(perTool, call.tool)) {
    scopes.push({
      key: `tool:${call.tool}:${day}`,
      limitMicros: toMicros(perTool[call.tool] ?? 0),
    });
  }
  return scopes;
};
