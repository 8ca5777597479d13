/** What became of a recorded call, beside what would become of it now. */
import type { AuditStatus } from './audit.ts';
import type { Caller, CallerNames } from './caller.ts';
import type { ErrorCode } from './errors.ts';
import type { RuleEffect } from './policy.ts';

/** `unknown` where the record does not say enough. */
export type ReplayOutcome = 'run' | 'ask' | 'refuse' | 'unknown';

export type ReplayVerdict = 'same' | 'different' | 'unknown';

/** What is compared, in the order in which a call meets it. */
export const REPLAY_ASPECTS = [
  'outcome',
  'tool',
  'input',
  'inspection',
  'decision',
  'limits',
  'credential',
  'preconditions',
  'approval',
  'budget',
  'programs',
  'cost',
] as const;
export type ReplayAspect = (typeof REPLAY_ASPECTS)[number];

/** One line of the comparison, in words. */
export interface ReplayLine {
  readonly aspect: ReplayAspect;
  readonly before: string;
  readonly now: string;
  readonly verdict: ReplayVerdict;
}

/** What the record says. */
export interface ReplayedBefore {
  readonly outcome: ReplayOutcome;
  readonly status: AuditStatus;
  readonly code: ErrorCode | '';
  /** What the rules decided; absent when the record does not say. */
  readonly decision?: RuleEffect;
  /** Empty for a refusal: the record does not name the rule that refuses. */
  readonly rule: string;
  readonly version: string;
  /** The first characters of the policy version; empty when the call never reached the rules. */
  readonly policy: string;
  readonly approvedBy?: string;
  readonly grantId?: string;
  readonly costUsd: number;
  readonly tokens: number;
}

/** What the gates say now. */
export interface ReplayedNow {
  readonly outcome: ReplayOutcome;
  /** The stage that would refuse the call. */
  readonly stage?: string;
  readonly code?: ErrorCode;
  readonly message?: string;
  readonly decision?: RuleEffect;
  readonly rule?: string;
  readonly reason?: string;
  /** Absent when there is no such tool now. */
  readonly version?: string;
  readonly estimatedUsd?: number;
  /** The most that would be held, where that is more. */
  readonly maxUsd?: number;
}

/** A recorded call under today's rules. Nothing was run and nothing was counted for it. */
export interface CallReplay {
  readonly executionId: string;
  readonly tool: string;
  readonly caller: CallerNames;
  /** When the call ended, and when it was judged again; milliseconds since the epoch. */
  readonly at: number;
  readonly judgedAt: number;
  readonly verdict: ReplayVerdict;
  readonly before: ReplayedBefore;
  readonly now: ReplayedNow;
  readonly lines: readonly ReplayLine[];
  /** Where the recorded input is redacted, as JSON pointers: there the gates saw a mark instead. */
  readonly redacted: readonly string[];
  /** What could not be judged, or only with less than the call had, and why. */
  readonly notes: readonly string[];
}

export interface ReplayOptions {
  /** The roles to judge the caller in; none are on record. */
  readonly roles?: readonly string[];
}

/** Which recorded calls are judged again: newest first, by default 1,000. */
export interface ReplayFilter extends ReplayOptions {
  readonly tool?: string;
  readonly userId?: string;
  /** Milliseconds since the epoch; `from` inclusive, `to` exclusive. */
  readonly from?: number;
  readonly to?: number;
  readonly limit?: number;
}

/** Who asks. Only an owner or admin has the calls of others judged, or names roles. */
export type ReplayAs = Partial<Pick<Caller, 'userId' | 'roles'>>;
