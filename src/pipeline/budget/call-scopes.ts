/** Says which budgets a call counts in: those of its user, session, tool and flow, narrowed by its options. */
import type { Call, CallRequest } from '../../contract/call.ts';
import type { BudgetScope } from '../../contract/store.ts';
import { type BudgetLimits, budgetScopesUnder } from '../../governance/ledger/budget.ts';
import { boundedMicros } from '../../governance/ledger/estimate-cost.ts';

/** The least that the call, or one that made it, may spend; undefined when none says so. */
const dailyUsdOf = ({ options, parent }: CallRequest): number | undefined => {
  const own = options.dailyUsd;
  const outer = parent && dailyUsdOf(parent);
  return own === undefined || outer === undefined ? (own ?? outer) : Math.min(own, outer);
};

/** The first scope is the user's. An option can lower its limit, never raise it. */
const narrowed = (scopes: readonly BudgetScope[], usd: number): readonly BudgetScope[] =>
  scopes.map((scope, index) =>
    index === 0
      ? { ...scope, limitMicros: Math.min(scope.limitMicros, boundedMicros(usd)) }
      : scope,
  );

/** Inner calls belong to the flow of the call that made them. */
const flowOf = ({ options, parent }: CallRequest): string | undefined =>
  options.flowId ?? (parent && flowOf(parent));

export type CallScopes = (call: Call<'ready'>, now: number) => readonly BudgetScope[];

export const callScopesUnder = (limits: BudgetLimits): CallScopes => {
  const scopesOf = budgetScopesUnder(limits);
  return (call, now) => {
    const { caller, ready } = call;
    const scopes = scopesOf({ caller, tool: ready.tool.name, flowId: flowOf(call), now });
    const dailyUsd = dailyUsdOf(call);
    return dailyUsd === undefined ? scopes : narrowed(scopes, dailyUsd);
  };
};
