/** Holds the most a call can cost before the tool runs, settles what it cost after, releases the rest. */
import type { Call, Estimate, Evidence, Next } from '../../contract/call.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Stage } from '../../contract/stage.ts';
import type { Spending } from '../../contract/store.ts';
import { boundedMicros, FREE } from '../../governance/ledger/estimate-cost.ts';
import { plainObjects } from '../../kit/data/plain-objects.ts';
import { budgetRefusal } from '../budget/budget-refusal.ts';
import type { Budgeting } from '../budget/budgeting.ts';
import type { Purse } from '../budget/purse.ts';
import { prove } from '../pipeline.ts';

type Approved = Call<'ready' | 'input' | 'grant' | 'approval'>;
type Onward = Next<Call<'ready' | 'input' | 'grant' | 'approval' | 'budget'>>;

const NO_SCOPES = Object.freeze([]);

/** The budget of all calls of tools that cost nothing. */
const FREE_CALL: Evidence['budget'] = Object.freeze({ estimate: FREE, scopes: NO_SCOPES });

/** The budget of a call that holds nothing. */
const Unheld = plainObjects<Evidence['budget'], [Estimate]>(function (estimate) {
  this.estimate = estimate;
  this.scopes = NO_SCOPES;
});

/** Prices a call whose tool reports nothing; by its real seconds where it is paid by the second. */
const priceOf = ({ ready, notes }: Approved, estimate: Estimate): number => {
  const { cost } = ready.tool;
  if (cost && cost.model !== 'free' && cost.perUnit?.unit === 'second') {
    return boundedMicros((cost.fixed ?? 0) + (notes.runMs / 1000) * cost.perUnit.price);
  }
  return estimate.costMicros > 0 ? estimate.costMicros : (estimate.mostMicros ?? 0);
};

interface Paid {
  readonly purse: Purse;
  readonly estimate: Estimate;
  readonly isFree: boolean;
}

/**
 * Computes what to book. The tool's own report counts; without one, a success costs its price, and so
 * does a failure whose effect may have happened: booking too little would let the budget be overspent.
 */
const actualCost = (
  call: Approved,
  result: ToolResult | undefined,
  { purse, estimate, isFree }: Paid,
): Spending => {
  const { spent, held, reportedIn } = purse;
  const { attempts, effectPossible } = call.notes;
  // A report of an earlier attempt says nothing about what the last one cost.
  const isReported = reportedIn > 0 && reportedIn === attempts;
  const isPaid = result?.success || effectPossible;
  if (isReported || isFree || !isPaid) return spent;
  return { ...spent, micros: Math.min(spent.micros + priceOf(call, estimate), held.micros) };
};

const holding = async (
  call: Approved,
  next: Onward,
  { budgeting, estimate }: { readonly budgeting: Budgeting; readonly estimate: Estimate },
): Promise<ToolResult> => {
  const held = await budgeting.hold(call, estimate);
  if ('refused' in held) return budgetRefusal(call, held.refused);
  const { purse, isFree, scopes } = held;
  let result: ToolResult | undefined;
  try {
    result = await next(prove(call, 'budget', { estimate, scopes }));
    return result;
  } finally {
    // Closed first: what is charged during the wait would hold money that nobody gives back.
    purse.close();
    await purse.settled;
    const actual = actualCost(call, result, { purse, estimate, isFree });
    call.notes.costMicros = actual.micros;
    call.notes.tokens = actual.tokens;
    await budgeting.settle(call, actual);
  }
};

/** Goes on where the budget covers the call, and holds nothing. */
const ifCovered = async (
  call: Approved,
  next: Onward,
  { budgeting, estimate }: { readonly budgeting: Budgeting; readonly estimate: Estimate },
): Promise<ToolResult> => {
  const outcome = await budgeting.covers(call, estimate);
  return outcome.ok
    ? next(prove(call, 'budget', new Unheld(estimate)))
    : budgetRefusal(call, outcome);
};

export const reserveBudget = (
  budgeting: Budgeting,
): Stage<'ready' | 'input' | 'grant' | 'approval', 'budget'> =>
  function reserveBudget(call, next) {
    if (budgeting.isFree(call.ready.tool)) return next(prove(call, 'budget', FREE_CALL));
    const estimate = budgeting.estimate(call);
    const { composition, estimate: ownEstimate } = call.ready.tool;
    // The parts of a composed tool hold what they cost: a hold for the whole would count twice.
    const isHeldByParts = composition !== undefined && ownEstimate !== undefined;
    if (call.options.dryRun || isHeldByParts) {
      return ifCovered(call, next, { budgeting, estimate });
    }
    if (budgeting.needsHold(call, estimate)) return holding(call, next, { budgeting, estimate });
    // If the tool charges all the same, the amount is held then, and `record` books it.
    return next(prove(call, 'budget', new Unheld(estimate)));
  };
