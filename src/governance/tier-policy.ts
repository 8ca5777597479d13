/**
 * The rules that hold when nobody wrote any: reading is free, writing asks before it destroys,
 * running programs and reaching out always ask, and what fits no rule is refused.
 */
import type { Policy, PolicyQuestion, Verdict } from '../contract/policy.ts';
import { isDelicate } from './capability.ts';

const ALLOW_READ: Verdict = {
  effect: 'allow',
  rule: 'tier-1-read',
  reason: 'Read-only tools are on by default.',
};
const ALLOW_WRITE: Verdict = {
  effect: 'allow',
  rule: 'tier-2-write',
  reason: 'Writes that destroy nothing are on by default; a snapshot is kept for undo.',
};
const ASK_DELICATE: Verdict = {
  effect: 'ask',
  rule: 'confirm-delicate',
  reason: 'The tool declares this action destructive or in need of confirmation.',
};
const ASK_EXECUTE: Verdict = {
  effect: 'ask',
  rule: 'tier-3-execute',
  reason: 'Every execution of a program or of code needs approval.',
};
const ASK_EXTERNAL: Verdict = {
  effect: 'ask',
  rule: 'tier-4-external',
  reason: 'Every call of an external service needs approval.',
};
const DENY_UNKNOWN: Verdict = {
  effect: 'deny',
  rule: 'default-deny',
  reason: 'No rule fits this call.',
};

const granted = (permissions: readonly string[], wanted: string): boolean =>
  permissions.some(
    (held) =>
      held === '*' ||
      held === wanted ||
      (held.endsWith(':*') && wanted.startsWith(held.slice(0, -1))),
  );

const byTier = ({ tool, tier, capability }: PolicyQuestion): Verdict => {
  switch (tier) {
    case 'read_only':
      return isDelicate(tool, capability) ? ASK_DELICATE : ALLOW_READ;
    case 'write':
      return isDelicate(tool, capability) ? ASK_DELICATE : ALLOW_WRITE;
    case 'execute':
      return ASK_EXECUTE;
    case 'external_api':
      return ASK_EXTERNAL;
    default:
      return DENY_UNKNOWN;
  }
};

/** The default policy: tiers and declared permissions. */
export const createTierPolicy = (): Policy => ({
  version: 'tiers-1',
  judge: (question) => {
    const { permissions } = question.tool;
    if (permissions) {
      for (const wanted of permissions) {
        if (!granted(question.caller.permissions, wanted)) {
          return {
            effect: 'deny',
            rule: 'permission-missing',
            reason: `The caller does not hold the permission ${wanted}.`,
          };
        }
      }
    }
    return byTier(question);
  },
});
