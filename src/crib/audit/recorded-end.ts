/** Reads from a record how a call ended, and which gate stopped it. */
import type { AuditRow } from '../../contract/audit.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import type { ReplayAspect, ReplayedBefore, ReplayOutcome } from '../../contract/replay.ts';
import { MICROS_PER_USD } from '../../contract/tool-cost.ts';
import { textOf } from '../../kit/data/is-text.ts';
import { recordedVerdict } from './recorded-call.ts';

/** Codes of gates before the rules: such a record names no rule. */
const BEFORE_RULES: Readonly<Partial<Record<ErrorCode, ReplayAspect>>> = {
  TOOL_NOT_FOUND: 'tool',
  TOOL_DISABLED: 'tool',
  TOOL_QUARANTINED: 'tool',
  DEPENDENCY_MISSING: 'tool',
  CALL_CYCLE: 'tool',
  VALIDATION_ERROR: 'input',
  SECURITY_VIOLATION: 'inspection',
  PERMISSION_DENIED: 'decision',
};

/** Codes of gates after the rules; a tool may fail with some of them, too. */
const AFTER_RULES: Readonly<Partial<Record<ErrorCode, ReplayAspect>>> = {
  RATE_LIMITED: 'limits',
  LOOP_DETECTED: 'limits',
  AUTH_MISSING: 'credential',
  PRECONDITION_FAILED: 'preconditions',
  APPROVAL_REQUIRED: 'approval',
  APPROVAL_EXPIRED: 'approval',
  USER_CANCELLED: 'approval',
  BUDGET_EXCEEDED: 'budget',
};

/** Codes that only a gate gives. */
const ONLY_GATES: ReadonlySet<string> = new Set(['LOOP_DETECTED', 'APPROVAL_REQUIRED']);

/** Codes that leave open whether the tool was started. */
const EITHER: ReadonlySet<string> = new Set(['TIMEOUT', 'CANCELLED', 'CONFLICT', 'INTERNAL']);

/** The gate that stopped a call: `none` for one that ran, `unclear` where the record does not say. */
export type RecordedStop = ReplayAspect | 'none' | 'unclear';

const stopOf = ({ code, detail }: AuditRow, hasIntent: boolean): RecordedStop => {
  if (code === '' || hasIntent) return 'none';
  if (typeof detail.rule !== 'string' || detail.rule === '') {
    return BEFORE_RULES[code] ?? 'unclear';
  }
  const gate = AFTER_RULES[code];
  if (gate === undefined) return EITHER.has(code) ? 'unclear' : 'none';
  return ONLY_GATES.has(code) || detail.attempts === undefined ? gate : 'none';
};

const outcomeOf = (stop: RecordedStop, isAsked: boolean): ReplayOutcome => {
  if (stop === 'unclear') return 'unknown';
  if (stop === 'approval' || (stop === 'none' && isAsked)) return 'ask';
  return stop === 'none' ? 'run' : 'refuse';
};

export interface RecordedEnd {
  readonly before: ReplayedBefore;
  readonly stop: RecordedStop;
}

/** Reads how a call ended. `hasIntent`: the trail has an intent of the call, so its tool was started. */
export const recordedEnd = (row: AuditRow, hasIntent: boolean): RecordedEnd => {
  const { status, code, version, costMicros, detail } = row;
  const verdict = recordedVerdict(row);
  const stop = stopOf(row, hasIntent);
  const approvedBy = textOf(detail.approvedBy);
  const grantId = textOf(detail.grantId);
  const isAsked = 'approvalId' in detail || approvedBy !== '';
  const before: ReplayedBefore = {
    outcome: outcomeOf(stop, isAsked),
    status,
    code,
    ...(verdict?.effect !== undefined && { decision: verdict.effect }),
    rule: verdict?.rule ?? '',
    version,
    policy: textOf(detail.policy),
    ...(approvedBy !== '' && { approvedBy }),
    ...(grantId !== '' && { grantId }),
    costUsd: costMicros / MICROS_PER_USD,
    tokens: typeof detail.tokens === 'number' ? detail.tokens : 0,
  };
  return { before, stop };
};
