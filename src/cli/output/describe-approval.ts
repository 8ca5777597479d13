/** Describes an approval as text, for people who answer it elsewhere than in this terminal. */
import type { ApprovalRequest } from '../../contract/approver.ts';

/** Loads the approval page of the terminal, when a server starts that may need it. */
export const approvalDescriber = async (width: number) => {
  const { approvalPage } = await import('../../approvers/terminal/approval-page.ts');
  return (request: ApprovalRequest, now: number): string =>
    approvalPage(request, { now, width, full: true }).lines.join('\n');
};
