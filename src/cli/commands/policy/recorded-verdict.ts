/** What the rules said about a call, as far as its row in the audit trail tells. */
import type { AuditRow } from '../../../contract/audit.ts';
import type { RuleEffect } from '../../../contract/policy.ts';

export interface RecordedVerdict {
  /** Absent where a later gate stopped the call before it could be seen. */
  readonly effect?: RuleEffect;
  /** Empty for a refusal: the row does not name the rule that refuses. */
  readonly rule: string;
}

/** Gates between the rules and the person who may have to be asked. */
const IN_BETWEEN: ReadonlySet<string> = new Set([
  'RATE_LIMITED',
  'LOOP_DETECTED',
  'AUTH_MISSING',
  'PRECONDITION_FAILED',
  'BUDGET_EXCEEDED',
  'CONFLICT',
  'CANCELLED',
  'TIMEOUT',
]);

const WAS_ASKED: ReadonlySet<string> = new Set(['USER_CANCELLED', 'APPROVAL_EXPIRED']);

/** `undefined` when the call never came before the rules. */
export const recordedVerdict = ({
  status,
  code,
  detail,
}: AuditRow): RecordedVerdict | undefined => {
  const rule = typeof detail.rule === 'string' ? detail.rule : '';
  if (rule === '') return code === 'PERMISSION_DENIED' ? { effect: 'deny', rule } : undefined;
  const asked = 'approvalId' in detail || 'approvedBy' in detail || 'grantId' in detail;
  if (asked || status === 'pending' || WAS_ASKED.has(code)) return { effect: 'ask', rule };
  return detail.dryRun === true || IN_BETWEEN.has(code) ? { rule } : { effect: 'allow', rule };
};
