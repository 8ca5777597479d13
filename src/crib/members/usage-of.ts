/** `crib.usage`: what was spent, against which limits. */
import type { CribUsage } from '../../contract/crib-members.ts';
import type { MemberDeps } from './member-deps.ts';

export const usageOf = (deps: MemberDeps): CribUsage => ({
  summary: async ({ period } = {}) => {
    const { ledger } = (await deps.open()).store;
    await deps.engine()?.shared.budgeting.freeCalls.write();
    const { usageSummary } = await import('../../governance/ledger/usage-lines.ts');
    return usageSummary(ledger, deps.limits, { now: deps.runtime.now(), period });
  },
});
