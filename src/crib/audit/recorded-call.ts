/** Reads calls back from the audit trail: the caller, the input and what the rules decided. */
import type { AuditFilter, AuditLog, AuditRow } from '../../contract/audit.ts';
import { type Caller, type CallerNames, LOCAL_CALLER } from '../../contract/caller.ts';
import type { RuleEffect } from '../../contract/policy.ts';
import { REDACTED } from '../../governance/redaction/redaction.ts';
import { isRecord } from '../../kit/data/is-record.ts';

const ROWS_AT_ONCE = 200;

/** Yields the outcomes on record, newest first, page by page, because a trail may be too long for memory. */
export const outcomeRows = async function* outcomeRows(
  audit: Pick<AuditLog, 'query'>,
  filter: Pick<AuditFilter, 'from' | 'to' | 'tool' | 'userId'> = {},
): AsyncGenerator<AuditRow, void> {
  for (let before: number | undefined; ; ) {
    const page = before === undefined ? {} : { before };
    const query: AuditFilter = { ...filter, ...page, kind: 'outcome', limit: ROWS_AT_ONCE };
    const rows = await audit.query(query);
    yield* rows;
    before = rows.at(-1)?.seq;
    if (rows.length < ROWS_AT_ONCE) return;
  }
};

export interface RecordedVerdict {
  /** Absent where a later gate stopped the call before it could be seen. */
  readonly effect?: RuleEffect;
  /** Empty for a refusal: the row does not name the rule that refuses. */
  readonly rule: string;
}

/** Codes of gates between the rules and the approval. */
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

/** Reads what the rules decided from an audit row; `undefined` when the call never reached them. */
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

/** Finds the input: in the intent of a call, or in its outcome where it has none. */
export const inputOf = async (audit: Pick<AuditLog, 'query'>, row: AuditRow): Promise<unknown> => {
  if ('input' in row.detail) return row.detail.input;
  const { executionId } = row;
  const [intent] = await audit.query({ executionId, kind: 'intent', limit: 1 });
  return intent?.detail.input;
};

export interface RecordedInput {
  /** Absent where the record has none that could be judged. */
  readonly input?: unknown;
  /** `unvalidated`: it did not fit the schema, and only its type is kept. */
  readonly missing?: 'shortened' | 'unvalidated' | 'absent';
  /** Where it is redacted, as JSON pointers. */
  readonly redacted: readonly string[];
}

const pointerPart = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

const redactedIn = (value: unknown, at: string): readonly string[] => {
  if (typeof value === 'string') return value.includes(REDACTED) ? [at] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [
    ...(key.includes(REDACTED) ? [`${at}/${pointerPart(key)}`] : []),
    ...redactedIn(item, `${at}/${pointerPart(key)}`),
  ]);
};

const hasExactly = (value: Record<string, unknown>, ...keys: readonly string[]): boolean =>
  Object.keys(value).length === keys.length && keys.every((key) => key in value);

/** Reads an input from the record, which may have shortened, redacted or omitted it. */
export const readInput = (recorded: unknown): RecordedInput => {
  if (recorded === undefined) return { missing: 'absent', redacted: [] };
  if (isRecord(recorded)) {
    if (hasExactly(recorded, 'shortened', 'characters'))
      return { missing: 'shortened', redacted: [] };
    if (hasExactly(recorded, 'unvalidated')) return { missing: 'unvalidated', redacted: [] };
  }
  return { input: recorded, redacted: redactedIn(recorded, '') };
};

/** Rebuilds the caller. A named user has only the roles given; the local owner is not named. */
export const callerOf = ({ userId, agentId, sessionId }: CallerNames): Partial<Caller> => ({
  ...(userId !== LOCAL_CALLER.userId && { userId }),
  agentId,
  sessionId,
});

/**
 * Rebuilds the proven names, which limits and labels hold for. A surface puts them before the names that
 * its callers choose (docs/decisions/0017-identity-of-callers.md).
 */
export const provenNamesOf = ({
  userId,
  agentId,
  sessionId,
}: CallerNames): CallerNames | undefined => {
  const own = userId.replaceAll('%', '%25').replaceAll('/', '%2F');
  if (agentId !== own && !agentId.startsWith(`${own}/`)) return undefined;
  const [session = ''] = sessionId.split('/', 1);
  const proven = session.replaceAll('%2F', '/').replaceAll('%25', '%');
  return { userId, agentId: userId, sessionId: proven };
};
