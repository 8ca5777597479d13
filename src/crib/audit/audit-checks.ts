/** What the arguments of `crib.audit` have to be. */
import { AUDIT_STATUSES, type AuditFilter } from '../../contract/audit.ts';
import type { CribAudit } from '../../contract/crib-members.ts';
import { TIERS } from '../../contract/tool.ts';
import {
  type ArgumentCheck,
  amount,
  atLeastOne,
  fields,
  listOf,
  moment,
  name,
  oneOf,
  optional,
  someFields,
  text,
  texts,
} from '../../kit/data/check-arguments.ts';
import type { MethodChecks } from '../members/checked.ts';

const auditStatus = oneOf(...AUDIT_STATUSES);

const auditFilter = fields({
  executionId: optional(name),
  userId: optional(name),
  tool: optional(name),
  version: optional(name),
  tier: optional(oneOf(...TIERS)),
  status: optional(auditStatus),
  statuses: optional(listOf(auditStatus)),
  code: optional(name),
  overMs: optional(moment),
  upToMs: optional(moment),
  kind: optional(oneOf('intent', 'outcome', 'event')),
  from: optional(moment),
  to: optional(moment),
  seq: optional(amount),
  before: optional(moment),
  limit: optional(amount),
} satisfies Record<keyof AuditFilter, ArgumentCheck>);

const asker = optional(someFields({ userId: optional(name), roles: optional(texts) }));

export const AUDIT_CHECKS: MethodChecks<CribAudit> = {
  query: { filter: optional(auditFilter) },
  verify: {
    expected: optional(
      // Or a whole checkpoint, or a row of the trail.
      someFields({
        seq: (seq) => (Number.isSafeInteger(seq) ? undefined : 'has to be a whole number'),
        hash: text,
      }),
    ),
  },
  replay: {
    executionId: text,
    options: optional(fields({ roles: optional(texts) })),
    as: asker,
  },
  replayAll: {
    filter: optional(
      fields({
        roles: optional(texts),
        tool: optional(name),
        userId: optional(name),
        from: optional(moment),
        to: optional(moment),
        limit: optional(atLeastOne),
      }),
    ),
    as: asker,
  },
};
