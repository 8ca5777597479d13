/** The port to those who approve calls, and the durable record that a decision is bound to. */
import type { Caller } from './caller.ts';
import type { PathState } from './path-state.ts';
import type { Tier } from './tool.ts';

/** Everything a person needs to decide. The input is exact, never redacted. */
export interface ApprovalRequest {
  readonly id: string;
  readonly caller: Caller;
  readonly tool: string;
  readonly version: string;
  readonly description: string;
  readonly tier: Tier;
  readonly action: string;
  readonly input: unknown;
  readonly estimatedCost: number;
  readonly estimatedTime: number | undefined;
  readonly effects: readonly string[];
  /** What the call will touch, resolved: `file:/real/path`, `host:api.example.com`. */
  readonly targets: readonly string[];
  /** Why the policy asks. */
  readonly reason: string;
  /** The rule that asks. */
  readonly rule: string;
  /** Digest of the definition the call was judged by; it is not for people. */
  readonly definition: string;
  /** False when a person has to be asked each time: there is nothing to remember. */
  readonly rememberable: boolean;
  readonly expiresAt: number;
}

/** What is allowed from now on, besides the call itself. Listed and revocable like any grant. */
export type Remember =
  /** This tool and action, for the rest of the session, and for 24 hours at most. */
  | { readonly scope: 'session' }
  /** This tool and action for this user and agent, whenever the CEL condition holds. */
  | { readonly scope: 'pattern'; readonly condition: string; readonly expiresAt?: number };

export interface Decision {
  /** `later` leaves the call pending in the inbox. */
  readonly answer: 'approve' | 'deny' | 'later';
  readonly by: string;
  readonly note?: string;
  /** Approved with this input instead of the one that was asked about. */
  readonly input?: unknown;
  readonly remember?: Remember;
}

/** What a person says to a question that waits in the inbox. */
export interface ApprovalAnswer extends Omit<Decision, 'answer'> {
  readonly approve: boolean;
}

export interface Approver {
  /**
   * Asks for a decision. No answer means no: a rejection counts as `deny`. The signal aborts when an answer
   * counts no longer: the call was cancelled, the question has expired, or the crib closes.
   */
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<Decision>;
}

/** The input that the approver chose instead of the requested one. */
export interface EditedInput {
  readonly input: unknown;
  /** The targets when it was approved. A record of an older version has none and matches no call. */
  readonly targets?: readonly string[];
  /** What these paths consisted of then. */
  readonly states?: readonly PathState[];
}

/** The name on record when nobody decided before an approval expired. */
export const NOBODY_IN_TIME = 'nobody answered in time';

export type ApprovalState = 'waiting' | 'approved' | 'denied' | 'used';

export interface ApprovalRecord {
  readonly id: string;
  readonly userId: string;
  readonly agentId: string;
  readonly sessionId: string;
  readonly tool: string;
  readonly version: string;
  /** Digest of the canonical input: another input needs another approval. */
  readonly inputDigest: string;
  /** Digest of the tool's definition: another definition needs another approval. */
  readonly definition: string;
  /** What the input pointed at when it was asked about. */
  readonly targets: readonly string[];
  /** What each path among them consisted of then; a record of an older version has none. */
  readonly states?: readonly PathState[];
  readonly policyVersion: string;
  /** Digest of all of the above: the same call again has the same. Older records have none. */
  readonly callKey?: string;
  /** The tool that made the call, where a tool did: when it makes the call again, the answer is found. */
  readonly within?: string;
  /** The step of a run, or the call of a job, that asked: no other call may use the answer. */
  readonly step?: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly state: ApprovalState;
  /** The call in one line, redacted, for lists. What a person decides by is `request`. */
  readonly summary?: string;
  readonly request: ApprovalRequest;
  readonly decidedBy?: string;
  readonly decidedAt?: number;
  readonly note?: string;
  /** The input it was approved with, where the approver changed it, and what that led to. */
  readonly edited?: EditedInput;
  /** Proves that this user decided it. A decision without a seal counts only in the process that made it. */
  readonly seal?: string;
}
