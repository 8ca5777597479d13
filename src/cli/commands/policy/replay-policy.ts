/** Judges recorded calls again and finds those that the rules would decide differently. */
import type { AuditRow } from '../../../contract/audit.ts';
import type { Caller } from '../../../contract/caller.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { RuleEffect, Verdict } from '../../../contract/policy.ts';
import type { Store } from '../../../contract/store.ts';
import {
  callerOf,
  inputOf,
  outcomeRows,
  type RecordedVerdict,
  readInput,
  recordedVerdict,
} from '../../../crib/audit/recorded-call.ts';

/** Judges a call as of the moment it was made. Throws when the rules cannot judge it. */
export type JudgeAt = (row: AuditRow, input: unknown, caller: Partial<Caller>) => Promise<Verdict>;

export interface ReplayOptions {
  readonly from: number | undefined;
  /** Calls to look at, the newest first. */
  readonly limit: number;
  /** Roles are not on record. */
  readonly roles: Pick<Partial<Caller>, 'roles' | 'permissions'>;
  /** The rules to compare with; what is on record when absent. */
  readonly before?: JudgeAt;
  /** The version of the current rules: a call that they judged is not judged again. */
  readonly version?: string;
  readonly after: JudgeAt;
}

interface ReplayChange {
  readonly executionId: string;
  readonly at: number;
  readonly tool: string;
  readonly userId: string;
  readonly before: { readonly effect: RuleEffect; readonly rule: string };
  readonly after: { readonly effect: RuleEffect; readonly rule: string; readonly reason: string };
  /** Judged by a partly redacted input. */
  readonly redacted: boolean;
}

export const NOT_JUDGED = {
  early: 'stopped before the rules judged them',
  shortened: 'kept with a shortened input',
  invalid: 'of tools that are gone, or with an input that does not fit any more',
  unclear: 'stopped by a later gate: what the rules said then is not on record',
} as const;

export interface ReplayReport {
  readonly judged: number;
  readonly redacted: number;
  readonly changes: readonly ReplayChange[];
  readonly notJudged: Readonly<Record<keyof typeof NOT_JUDGED, number>>;
}

type Outcome =
  | keyof typeof NOT_JUDGED
  | { readonly change?: ReplayChange; readonly redacted: boolean };

const sameRule = (recorded: RecordedVerdict, now: Verdict): boolean =>
  recorded.effect === undefined ? recorded.rule === now.rule : recorded.effect === now.effect;

const compare = (
  row: AuditRow,
  was: RecordedVerdict,
  { now, redacted }: { readonly now: Verdict; readonly redacted: boolean },
): Outcome => {
  if (sameRule(was, now)) return { redacted };
  if (was.effect === undefined) return 'unclear';
  const { executionId, at, tool, userId } = row;
  const before = { effect: was.effect, rule: was.rule };
  const after = { effect: now.effect, rule: now.rule, reason: now.reason };
  return { redacted, change: { executionId, at, tool, userId, before, after, redacted } };
};

/** Tells whether these rules judged the call: its row has the beginning of their version. */
const isJudgedBy = ({ detail }: AuditRow, version: string | undefined): boolean =>
  version !== undefined &&
  typeof detail.policy === 'string' &&
  detail.policy !== '' &&
  version.startsWith(detail.policy);

const judgeRow = async (
  store: Pick<Store, 'audit'>,
  row: AuditRow,
  options: ReplayOptions,
): Promise<Outcome> => {
  const recorded = recordedVerdict(row);
  if (!recorded) return 'early';
  // With the same rules and no other roles the verdict stays the same: such a row need not be judged
  // again.
  const isAsRecorded = !options.before && Object.keys(options.roles).length === 0;
  if (isAsRecorded && isJudgedBy(row, options.version)) return { redacted: false };
  const { input, redacted, missing } = readInput(await inputOf(store.audit, row));
  if (missing === 'shortened') return 'shortened';
  const caller = { ...callerOf(row), ...options.roles };
  try {
    const before = await options.before?.(row, input, caller);
    const now = await options.after(row, input, caller);
    return compare(row, before ?? recorded, { now, redacted: redacted.length > 0 });
  } catch (error) {
    if (error instanceof ToolFailure) return 'invalid';
    throw error;
  }
};

export const replayPolicy = async (
  store: Pick<Store, 'audit'>,
  options: ReplayOptions,
): Promise<ReplayReport> => {
  const notJudged = { early: 0, shortened: 0, invalid: 0, unclear: 0 };
  const changes: ReplayChange[] = [];
  let judged = 0;
  let redacted = 0;
  let read = 0;
  const period = options.from === undefined ? {} : { from: options.from };
  for await (const row of outcomeRows(store.audit, period)) {
    if (read === options.limit) break;
    read += 1;
    const outcome = await judgeRow(store, row, options);
    if (typeof outcome === 'string') {
      notJudged[outcome] += 1;
      continue;
    }
    judged += 1;
    if (outcome.redacted) redacted += 1;
    if (outcome.change) changes.push(outcome.change);
  }
  return { judged, redacted, changes, notJudged };
};
