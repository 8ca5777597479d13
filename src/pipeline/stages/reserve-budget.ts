/** Holds the estimate before the tool runs, settles the actual cost after, releases the rest. */
import type { Call, Estimate, Next } from '../../contract/call.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Stage } from '../../contract/stage.ts';
import type { Budgeting } from '../budgeting.ts';
import { prove } from '../pipeline.ts';

type Approved = Call<'ready' | 'input' | 'grant' | 'approval'>;
type Onward = Next<Call<'ready' | 'input' | 'grant' | 'approval' | 'budget'>>;

const NO_SCOPES = Object.freeze([]);

/**
 * What to book. The tool's own report counts; without one, a success costs the estimate, and so
 * does a failure whose effect may have happened: a budget must not be overspent by being optimistic.
 */
const actualCost = (call: Approved, result: ToolResult | undefined, held: number): number => {
  if (call.notes.costMicros > 0) return call.notes.costMicros;
  if (result?.success || call.notes.effectPossible) return held;
  return 0;
};

const holding = async (
  call: Approved,
  next: Onward,
  { budgeting, estimate }: { readonly budgeting: Budgeting; readonly estimate: Estimate },
): Promise<ToolResult> => {
  const { outcome, micros, scopes } = await budgeting.hold(call, estimate);
  if (!outcome.ok) return budgeting.refusal(call, outcome);
  let result: ToolResult | undefined;
  try {
    result = await next(prove(call, 'budget', { estimate, scopes }));
    return result;
  } finally {
    const actual = actualCost(call, result, micros);
    call.notes.costMicros = actual;
    await budgeting.settle(call, actual);
  }
};

export const reserveBudget = (
  budgeting: Budgeting,
): Stage<'ready' | 'input' | 'grant' | 'approval', 'budget'> =>
  function reserveBudget(call, next) {
    const estimate = budgeting.estimate(call);
    if (call.options.dryRun) {
      return budgeting
        .covers(call, estimate)
        .then((outcome) =>
          outcome.ok
            ? next(prove(call, 'budget', { estimate, scopes: NO_SCOPES }))
            : budgeting.refusal(call, outcome),
        );
    }
    if (budgeting.needsHold(call, estimate)) return holding(call, next, { budgeting, estimate });
    // Should the tool report a cost all the same, `record` books it: nothing has to wait for it here.
    return next(prove(call, 'budget', { estimate, scopes: NO_SCOPES }));
  };
