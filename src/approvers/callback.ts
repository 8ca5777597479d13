/** Asks a function of the embedding program. Only a plain `true` is a yes. */
import type { ApprovalRequest, Approver } from '../contract/approver.ts';

export type ApprovalCallback = (request: ApprovalRequest) => boolean | Promise<boolean>;

export const createCallbackApprover = (decide: ApprovalCallback): Approver => ({
  ask: async (request) => ({
    answer: (await decide(request)) === true ? 'approve' : 'deny',
    by: 'callback',
  }),
});
