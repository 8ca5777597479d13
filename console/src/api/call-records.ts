/** Sessions, executions, approvals and audit rows as the HTTP API sends them. */
import type { Tier } from './tool-records.ts';

export type Role = 'admin' | 'operator' | 'agent' | 'viewer';

export interface Session {
  readonly user: string;
  readonly role: Role;
  readonly csrf: string;
  readonly expiresAt: number;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

export interface ExecutionSummary {
  readonly executionId: string;
  readonly tool: string;
  /** The call in one line. */
  readonly summary?: string;
  readonly version: string;
  readonly tier: Tier | '';
  readonly status: string;
  readonly code: string;
  readonly at: number;
  readonly durationMs: number;
  readonly costUsd: number;
  readonly userId: string;
  readonly agentId: string;
  readonly sessionId: string;
  readonly effect?: string;
}

/** A call under way. */
export interface RunningCall extends ExecutionSummary {
  readonly progress?: { readonly fraction: number; readonly note?: string };
  /** False for a call of another process. */
  readonly isHere: boolean;
}

export interface AuditRow {
  readonly seq: number;
  readonly hash: string;
  readonly kind: 'intent' | 'outcome' | 'event';
  readonly executionId: string;
  readonly at: number;
  readonly tool: string;
  readonly version: string;
  readonly tier: Tier | '';
  readonly userId: string;
  readonly agentId: string;
  readonly sessionId: string;
  readonly status: string;
  readonly code: string;
  readonly durationMs: number;
  readonly costMicros: number;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface TraceSpan {
  readonly stage: string;
  readonly startMs: number;
  readonly durationMs: number;
  readonly outcome: string;
}

export interface ExecutionDetail extends ExecutionSummary {
  readonly state: string;
  readonly progress?: { readonly fraction: number; readonly note?: string };
  readonly rows: readonly AuditRow[];
  readonly trace?: readonly TraceSpan[];
  readonly undoable: boolean;
  /** What its code means; absent where it has none. */
  readonly meaning?: string;
}

export type ApprovalState = 'waiting' | 'approved' | 'denied' | 'used';

export interface ApprovalRecord {
  readonly id: string;
  readonly userId: string;
  readonly agentId: string;
  readonly sessionId: string;
  readonly tool: string;
  readonly version: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly state: ApprovalState;
  readonly summary?: string;
  readonly request: {
    readonly description: string;
    readonly tier: Tier;
    readonly action: string;
    readonly input: unknown;
    readonly estimatedCost: number;
    readonly estimatedTime?: number;
    readonly effects: readonly string[];
    readonly targets: readonly string[];
    readonly reason: string;
    readonly rule: string;
    readonly rememberable: boolean;
  };
  readonly decidedBy?: string;
  readonly decidedAt?: number;
  readonly note?: string;
  readonly edited?: { readonly input: unknown };
}

export interface ApprovalDecision {
  readonly approve: boolean;
  readonly note?: string;
  readonly input?: unknown;
  readonly remember?:
    | { readonly scope: 'session' }
    | { readonly scope: 'pattern'; readonly condition: string; readonly expiresAt?: number };
}
