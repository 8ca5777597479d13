/** After a call that was approved here: the same call, made before, may still wait in the inbox. */
import { isDeepStrictEqual } from 'node:util';
import type { ApprovalRequest, Approver } from '../../contract/approver.ts';
import type { Crib } from '../../contract/crib.ts';

/** An approver that tells which requests were approved as they are. */
export const tellingApproved = (
  approver: Approver,
  onApproved: (request: ApprovalRequest) => void,
): Approver => ({
  ...approver,
  ask: async (request, signal) => {
    const decision = await approver.ask(request, signal);
    if (decision.answer === 'approve' && decision.input === undefined) onApproved(request);
    return decision;
  },
});

const isTwin = (one: ApprovalRequest, other: ApprovalRequest): boolean =>
  one.tool === other.tool &&
  one.caller.userId === other.caller.userId &&
  one.caller.agentId === other.caller.agentId &&
  isDeepStrictEqual(one.input, other.input);

/** Answers no to waiting questions about calls that have run: a yes to one would run it a second time. */
export const closeTwins = async (
  crib: Crib,
  approved: readonly ApprovalRequest[],
  by: string,
): Promise<void> => {
  if (approved.length === 0) return;
  for (const { id, request } of await crib.approvals.list()) {
    if (!approved.some((one) => isTwin(one, request))) continue;
    await crib.approvals.decide(id, {
      approve: false,
      by,
      note: 'the call was made again and ran',
    });
  }
};
