/**
 * Finds approvals of a call that does not name them. A tool cannot name one that was given after it had ended; it can
 * only make the call again. The step of a run cannot where its process was killed at the question, before that
 * was on record.
 */
import type { ApprovalRecord } from '../../contract/approver.ts';
import type { Approvals } from '../../contract/store.ts';
import { type Binding, callKeyOf, fits } from '../../governance/approvals/binding.ts';
import type { JudgedCall } from './call-bindings.ts';
import { namedStepOf } from './step-answers.ts';

export interface EarlierApprovalDeps {
  readonly approvals: Pick<Approvals, 'matching'>;
  readonly now: number;
  bind(): Promise<Binding>;
}

/**
 * Finds the approvals that a call may use without naming one: none unless a tool or a step of a run made it,
 * because any other caller names the approval that it means. The answer to a step counts however late its
 * run goes on.
 */
export const earlierApprovals = async (
  call: JudgedCall,
  { approvals, now, bind }: EarlierApprovalDeps,
): Promise<readonly ApprovalRecord[]> => {
  const within = call.parent?.toolName;
  const step = namedStepOf(call);
  if (within === undefined && step === undefined) return [];
  const binding = await bind();
  const asker = { ...(within !== undefined && { within }), ...(step !== undefined && { step }) };
  const approved = await approvals.matching(callKeyOf(binding, asker), 'approved');
  // An approval of a caller's own call, of another tool's or of another step is not for this call to use.
  return approved.filter(
    (each) =>
      each.within === within &&
      each.step === step &&
      (step !== undefined || each.expiresAt > now) &&
      fits(each, binding),
  );
};
