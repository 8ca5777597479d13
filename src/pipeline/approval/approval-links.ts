/** Makes and redeems signed links that answer a question in the inbox: each gives one answer and works once. */
import type { ApprovalLinks } from '../../contract/crib-members.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Approvals } from '../../contract/store.ts';
import {
  type LinkKeys,
  makeLinkToken,
  readLinkToken,
} from '../../governance/approvals/approval-link.ts';
import type { SigningKey } from '../../governance/signing/open-signing-key.ts';
import { verifySignature } from '../../governance/signing/verify-signature.ts';
import type { ApprovalService } from './approval-service.ts';

export interface ApprovalLinkDeps {
  readonly approvals: Approvals;
  readonly approvalService: Pick<ApprovalService, 'decide'>;
  readonly runtime: Pick<Runtime, 'now'>;
  readonly key: SigningKey;
  /** Goes before the token; without it, the link is the token alone. */
  readonly baseUrl: string | undefined;
}

const keysOf = ({ publicKey, sign }: SigningKey): LinkKeys => ({
  sign,
  verify: (text, signature) => verifySignature({ publicKey, text, signature }),
});

const gone = (): ToolFailure =>
  new ToolFailure('APPROVAL_EXPIRED', 'This question is not waiting for an answer.', {
    suggestions: ['See what waits with `toolcrib approvals`.'],
  });

const noLink = (): ToolFailure =>
  new ToolFailure('APPROVAL_EXPIRED', 'This link is not one of ours, or its time is over.', {
    suggestions: ['Ask for a new link.'],
  });

export const approvalLinks = async (
  approvalId: string,
  { approvals, runtime, key, baseUrl }: ApprovalLinkDeps,
): Promise<ApprovalLinks> => {
  const record = await approvals.get(approvalId);
  if (record?.state !== 'waiting' || record.expiresAt <= runtime.now()) throw gone();
  const { expiresAt } = record;
  const link = (approve: boolean): string => {
    const token = makeLinkToken({ approvalId, approve, expiresAt }, keysOf(key));
    return baseUrl === undefined ? token : `${baseUrl.replace(/\/+$/, '')}/${token}`;
  };
  return { approvalId, approve: link(true), deny: link(false), expiresAt };
};

/** Takes the token, or the whole link. The store takes one decision, so a second use fails. */
export const decideByLink = async (
  link: string,
  { approvals, approvalService, runtime, key }: ApprovalLinkDeps,
): Promise<{ readonly approvalId: string; readonly approved: boolean }> => {
  const token = link.slice(link.lastIndexOf('/') + 1);
  const claim = readLinkToken(token, keysOf(key), runtime.now());
  if (!claim) throw noLink();
  const { approvalId, approve } = claim;
  const record = await approvals.get(approvalId);
  if (!record || !(await approvalService.decide(record, { approve, by: 'signed link' })))
    throw gone();
  return { approvalId, approved: approve };
};
