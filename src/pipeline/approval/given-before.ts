/**
 * Answers that came after the tool that made a call had ended. A tool cannot name an approval, it can
 * only make the call again; so the call looks for the yes to itself, bound like any other.
 */
import type { ApprovalRecord } from '../../contract/approver.ts';
import type { CallRequest } from '../../contract/call.ts';
import type { Approvals } from '../../contract/store.ts';
import { type Binding, callKeyOf, fits } from '../../governance/approvals/binding.ts';

export interface GivenBeforeDeps {
  readonly approvals: Pick<Approvals, 'matching'>;
  readonly now: number;
  bind(): Promise<Binding>;
}

/** What was asked for a caller's own call is not for a tool to use, nor is that of another tool. */
const isWithin = ({ within }: ApprovalRecord, { parent }: CallRequest): boolean =>
  within === parent?.toolName;

/** Only for a call that a tool makes: a caller names the approval that it means. */
export const givenBefore = async (
  call: CallRequest,
  { approvals, now, bind }: GivenBeforeDeps,
): Promise<readonly ApprovalRecord[]> => {
  if (!call.parent) return [];
  const binding = await bind();
  const approved = await approvals.matching(callKeyOf(binding, call.parent.toolName), 'approved');
  return approved.filter(
    (each) => isWithin(each, call) && each.expiresAt > now && fits(each, binding),
  );
};
