/** `crib.audit`: the record of every call. */
import type { AuditCheckpoint } from '../../contract/audit.ts';
import type { AuditHead, CribAudit } from '../../contract/crib-members.ts';
import { type AuditDeps, replaysOf } from './replays-of.ts';

const verify = async (deps: AuditDeps, expected: AuditHead | AuditCheckpoint | undefined) => {
  const { audit } = (await deps.open()).store;
  const { verifyAuditLog } = await import('../../governance/audit/verify-audit.ts');
  if (expected === undefined || !('signature' in expected)) {
    const isPruned = (await audit.anchor()) !== undefined;
    const trustedKeys = isPruned ? [(await deps.signingKey()).publicKey] : [];
    return verifyAuditLog(audit, { expected, trustedKeys });
  }
  const trustedKeys = [(await deps.signingKey()).publicKey];
  return verifyAuditLog(audit, { checkpoints: [expected], trustedKeys });
};

export const auditOf = (deps: AuditDeps): CribAudit => ({
  query: async (filter) => (await deps.open()).store.audit.query(filter),
  checkpoint: async () => {
    const { audit, label: store } = (await deps.open()).store;
    const head = await audit.head();
    const { makeCheckpoint } = await import('../../governance/audit/checkpoint.ts');
    const key = await deps.signingKey();
    return makeCheckpoint(head, { at: deps.runtime.now(), store, key });
  },
  verify: (expected) => verify(deps, expected),
  ...replaysOf(deps),
});
