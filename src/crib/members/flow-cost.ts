/** Reads from the ledger what the calls of a run have cost, those of its children included. */
import { provenNames } from '../../contract/caller.ts';
import type { FlowCost } from '../../contract/flow.ts';
import type { FlowRun } from '../../contract/flow-store.ts';
import type { Ledger } from '../../contract/store.ts';
import { flowBudgetKey } from '../../governance/ledger/budget.ts';
import { MICROS_PER_USD } from '../../governance/ledger/estimate-cost.ts';

export const flowCost = async (
  { id, caller }: FlowRun,
  ledger: Pick<Ledger, 'lines'>,
): Promise<FlowCost> => {
  const key = flowBudgetKey(provenNames(caller).userId, id);
  const cost = { usd: 0, heldUsd: 0, tokens: 0 };
  for (const line of await ledger.lines(key)) {
    // Lines of its children begin with the same text; what these cost is counted here as well.
    if (line.key !== key) continue;
    cost.usd += line.spentMicros / MICROS_PER_USD;
    cost.heldUsd += line.heldMicros / MICROS_PER_USD;
    cost.tokens += line.tokens;
  }
  return cost;
};
