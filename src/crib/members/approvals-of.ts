/** `crib.approvals`: the calls that wait for a person, and their answers. */
import type { CribApprovals } from '../../contract/crib-members.ts';
import type { ApprovalLinkDeps } from '../../pipeline/approval/approval-links.ts';
import type { MemberDeps } from './member-deps.ts';

const linkDeps = async (deps: MemberDeps): Promise<ApprovalLinkDeps> => {
  const { engine, store } = await deps.open();
  const { runtime, linkBaseUrl: baseUrl } = deps;
  const key = await deps.signingKey();
  return {
    approvals: store.approvals,
    approvalService: engine.shared.approvalService,
    runtime,
    key,
    baseUrl,
  };
};

export const approvalsOf = (deps: MemberDeps): CribApprovals => ({
  list: async ({ state = 'waiting' } = {}) => (await deps.open()).store.approvals.list(state),
  get: async (approvalId) => (await deps.open()).store.approvals.get(approvalId),
  decide: async (approvalId, answer) => {
    const { engine, store } = await deps.open();
    const record = await store.approvals.get(approvalId);
    return record !== undefined && engine.shared.approvalService.decide(record, answer);
  },
  links: async (approvalId) => {
    const { approvalLinks } = await import('../../pipeline/approval/approval-links.ts');
    return approvalLinks(approvalId, await linkDeps(deps));
  },
  decideByLink: async (link) => {
    const { decideByLink } = await import('../../pipeline/approval/approval-links.ts');
    return decideByLink(link, await linkDeps(deps));
  },
});
