/**
 * Answers that came after the tool that made a call had ended. A tool cannot name an approval, it can
 * only make the call again; so the call looks for the yes to itself, bound like any other.
 */
import type { ApprovalRecord } from '../contract/approver.ts';
import type { CallRequest } from '../contract/call.ts';
import type { Approvals } from '../contract/store.ts';
import { type Binding, fits } from '../governance/approvals/binding.ts';

export interface GivenBeforeSite {
  readonly approvals: Pick<Approvals, 'list'>;
  readonly now: number;
  bind(): Promise<Binding>;
}

/** What was asked for a caller's own call is not for a tool to use, nor is that of another tool. */
export const isWithin = ({ within }: ApprovalRecord, { parent }: CallRequest): boolean =>
  within === parent?.toolName;

/** Only for a call that a tool makes: a caller names the approval that it means. */
export const givenBefore = async (
  call: CallRequest,
  { approvals, now, bind }: GivenBeforeSite,
): Promise<readonly ApprovalRecord[]> => {
  if (!call.parent) return [];
  const approved = await approvals.list('approved');
  const open = approved.filter((each) => isWithin(each, call) && each.expiresAt > now);
  if (open.length === 0) return [];
  const binding = await bind();
  return open.filter((each) => fits(each, binding));
};
