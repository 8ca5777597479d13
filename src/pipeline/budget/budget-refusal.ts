/** Refuses a call that its budget does not cover, and says when or how it can be made. */
import type { Call } from '../../contract/call.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { BudgetUnit } from '../../contract/store.ts';
import { MICROS_PER_USD } from '../../contract/tool-cost.ts';
import { ALL_TIME } from '../../governance/ledger/budget.ts';
import { failed } from '../outcome.ts';
import type { RefusedHold } from './holds.ts';

const LEFT: Readonly<Record<BudgetUnit, (available: number) => string>> = {
  micros: (available) => `${(available / MICROS_PER_USD).toFixed(4)} USD`,
  calls: (available) => `${available} calls`,
  tokens: (available) => `${available} tokens`,
};

const MONTH = /^\d{4}-\d{2}$/;

/** Names what brings a fresh budget: a budget of all time never comes back. */
const freshBudget = (kind: string, period: string): string => {
  if (period === ALL_TIME) return `start a new ${kind}`;
  return MONTH.test(period) ? 'wait for the next month' : 'wait for the next day';
};

/** Makes the result of a call whose budget has too little left. */
export const budgetRefusal = (
  call: Call<'ready'>,
  { scope, unit, available }: RefusedHold,
): ToolResult => {
  const [kind = '', period = ''] = scope.split(':', 2);
  const whose =
    period === ALL_TIME ? `The budget of this ${kind}` : `The budget of this ${kind} for ${period}`;
  return failed(call, 'BUDGET_EXCEEDED', {
    message: `${whose} has ${LEFT[unit](available)} left, which does not cover the call.`,
    suggestions: [
      'See what was spent with `toolcrib usage`.',
      `Raise the limit under \`budget\` in your own configuration, or ${freshBudget(kind, period)}.`,
    ],
  });
};
