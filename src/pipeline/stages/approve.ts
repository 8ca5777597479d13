/**
 * Gets a person's word where the grant asks for it. Nobody is asked about a call that the budget
 * cannot cover, and after the wait the rules are judged again: they may have changed meanwhile.
 */
import type { Call, Estimate } from '../../contract/call.ts';
import type { Policy } from '../../contract/policy.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Stage } from '../../contract/stage.ts';
import type { ApprovalDesk } from '../approval-desk.ts';
import type { Budgeting } from '../budgeting.ts';
import { failed } from '../outcome.ts';
import { prove } from '../pipeline.ts';
import { judge } from './authorize.ts';

export interface ApproveDeps {
  readonly desk: ApprovalDesk;
  readonly policy: Policy;
  readonly budgeting: Budgeting;
}

type Judged = Call<'ready' | 'input' | 'grant'>;

const stillAllowed = (call: Judged, policy: Policy): ToolResult | undefined => {
  const { tier, capability } = call.grant;
  const { input, caller, ready } = call;
  const verdict = judge(policy, { tool: ready.tool, tier, capability, input, caller });
  if (verdict.effect !== 'deny') return undefined;
  return failed(call, 'PERMISSION_DENIED', { message: `${verdict.reason} (rule ${verdict.rule})` });
};

const tooDear = async (
  call: Judged,
  estimate: Estimate,
  budgeting: Budgeting,
): Promise<ToolResult | undefined> => {
  const outcome = await budgeting.covers(call, estimate);
  return outcome.ok ? undefined : budgeting.refusal(call, outcome);
};

export const approve = (
  deps: ApproveDeps,
): Stage<'ready' | 'input' | 'grant' | 'preconditions', 'approval'> =>
  function approve(call, next) {
    if (!call.grant.ask || call.options.dryRun) {
      return next(prove(call, 'approval', 'not-needed'));
    }
    const settle = async (): Promise<ToolResult> => {
      const estimate = deps.budgeting.estimate(call);
      const refused = await tooDear(call, estimate, deps.budgeting);
      if (refused) return refused;
      const { approvalId } = call.options;
      const answer =
        approvalId === undefined
          ? await deps.desk.ask(call, estimate, call.grant.reason)
          : await deps.desk.redeem(call, approvalId);
      if ('result' in answer) return answer.result;
      if (call.control.aborted) return failed(call, call.control.reason ?? 'CANCELLED');
      const denied = stillAllowed(call, deps.policy);
      if (denied) return denied;
      call.notes.approvedBy = answer.by;
      return next(prove(call, 'approval', answer));
    };
    return settle();
  };
