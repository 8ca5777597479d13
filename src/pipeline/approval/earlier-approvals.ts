/**
 * Finds approvals given after the tool that made a call had ended. A tool cannot name an approval;
 * it can only make the call again. So the call is compared with the approvals that its tool may use.
 */
import type { ApprovalRecord } from '../../contract/approver.ts';
import type { CallRequest } from '../../contract/call.ts';
import type { Approvals } from '../../contract/store.ts';
import { type Binding, callKeyOf, fits } from '../../governance/approvals/binding.ts';

export interface EarlierApprovalDeps {
  readonly approvals: Pick<Approvals, 'matching'>;
  readonly now: number;
  bind(): Promise<Binding>;
}

/** Finds none for a call that no tool made: its caller names the approval that it means. */
export const earlierApprovals = async (
  call: CallRequest,
  { approvals, now, bind }: EarlierApprovalDeps,
): Promise<readonly ApprovalRecord[]> => {
  if (!call.parent) return [];
  const { toolName } = call.parent;
  const binding = await bind();
  const approved = await approvals.matching(callKeyOf(binding, { within: toolName }), 'approved');
  // An approval of a caller's own call, or of another tool's, is not for this tool to use.
  return approved.filter(
    (each) => each.within === toolName && each.expiresAt > now && fits(each, binding),
  );
};
