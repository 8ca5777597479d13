/** The port to whoever says yes or no, and the durable record a decision is bound to. */
import type { Caller } from './caller.ts';
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
  /** Why the policy asks. */
  readonly reason: string;
  readonly expiresAt: number;
}

export interface Decision {
  /** `later` leaves the call pending in the inbox. */
  readonly answer: 'approve' | 'deny' | 'later';
  readonly by: string;
  readonly note?: string;
}

export interface Approver {
  /** No answer means no: a rejection or an abort counts as `deny`. */
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<Decision>;
}

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
  readonly policyVersion: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly state: ApprovalState;
  readonly request: ApprovalRequest;
  readonly decidedBy?: string;
  readonly decidedAt?: number;
}
