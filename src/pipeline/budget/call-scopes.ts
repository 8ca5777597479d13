/** Says which budgets a call counts in: those of its user, session, tool and flow, narrowed by its options. */
import type { Call, CallRequest } from '../../contract/call.ts';
import type { CallOptions, OuterFlow } from '../../contract/call-options.ts';
import { type CallerNames, provenNames } from '../../contract/caller.ts';
import type { BudgetScope } from '../../contract/store.ts';
import {
  type BudgetLimits,
  budgetScopesUnder,
  flowScope,
  type UnitLimits,
} from '../../governance/ledger/budget.ts';
import { boundedMicros } from '../../governance/ledger/estimate-cost.ts';

type Limit = 'dailyUsd' | 'flowUsd';

/** Finds the lowest limit that the call or a call that made it sets; `undefined` when none does. */
const leastUsd = ({ options, parent }: CallRequest, limit: Limit): number | undefined => {
  const own = options[limit];
  const outer = parent && leastUsd(parent, limit);
  return own === undefined || outer === undefined ? (own ?? outer) : Math.min(own, outer);
};

/** Lowers the limit of a scope to that of an option; never raises it. */
const narrowed = (
  scopes: readonly BudgetScope[],
  at: number,
  usd: number,
): readonly BudgetScope[] =>
  scopes.map((scope, index) =>
    index === at
      ? { ...scope, limitMicros: Math.min(scope.limitMicros, boundedMicros(usd)) }
      : scope,
  );

/**
 * Finds the call whose flow this one belongs to: an inner call belongs to that of the call that
 * made it.
 */
const flowCallOf = (call: CallRequest): CallRequest | undefined =>
  call.options.flowId === undefined ? call.parent && flowCallOf(call.parent) : call;

/** Makes the scopes of the flows that have started the flow of a call. */
const outerScopes = (
  outerFlows: readonly OuterFlow[],
  { userId }: CallerNames,
  perFlow: UnitLimits | undefined,
): readonly BudgetScope[] =>
  outerFlows.flatMap(({ flowId, usd }) => {
    const scopes = [flowScope(userId, flowId, perFlow)];
    return usd === undefined ? scopes : narrowed(scopes, 0, usd);
  });

/** Tells whether a call is in no flow and sets no limit of its own, as most are. */
const belongsToNone = ({ flowId, outerFlows, dailyUsd, flowUsd }: CallOptions): boolean =>
  flowId === undefined && !outerFlows && dailyUsd === undefined && flowUsd === undefined;

export type CallScopes = (call: Call<'ready'>, now: number) => readonly BudgetScope[];

export const callScopesUnder = (limits: BudgetLimits): CallScopes => {
  const scopesOf = budgetScopesUnder(limits);
  return (call, now) => {
    const { caller, ready, options, parent } = call;
    if (!parent && belongsToNone(options)) {
      return scopesOf({ caller, tool: ready.tool.name, flowId: undefined, now });
    }
    const { flowId, outerFlows } = flowCallOf(call)?.options ?? NO_FLOW;
    const scopes = scopesOf({ caller, tool: ready.tool.name, flowId, now });
    const dailyUsd = leastUsd(call, 'dailyUsd');
    const flowUsd = leastUsd(call, 'flowUsd');
    const byDay = dailyUsd === undefined ? scopes : narrowed(scopes, 0, dailyUsd);
    // The scope of the flow is the last one, and there only for calls of a flow.
    const byFlow =
      flowUsd === undefined || flowId === undefined
        ? byDay
        : narrowed(byDay, byDay.length - 1, flowUsd);
    return outerFlows
      ? [...byFlow, ...outerScopes(outerFlows, provenNames(caller), limits.perFlow)]
      : byFlow;
  };
};

const NO_FLOW: Pick<CallOptions, 'flowId' | 'outerFlows'> = Object.freeze({});
