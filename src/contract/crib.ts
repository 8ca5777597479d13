/** The crib as surfaces and adapters see it. */
import type { ApprovalAnswer, ApprovalRecord } from './approver.ts';
import type { AuditCheckpoint, AuditVerification } from './audit.ts';
import type { Estimate } from './call.ts';
import type { CallAs, CallOptions } from './call-options.ts';
import type { Caller } from './caller.ts';
import type { Catalog } from './catalog.ts';
import type { ToolError } from './errors.ts';
import type { Events } from './events.ts';
import type { Grant, NewGrant } from './grant.ts';
import type { ToolLock } from './lock.ts';
import type { Explanation } from './policy.ts';
import type { PreconditionReport } from './precondition.ts';
import type { ToolResult } from './result.ts';
import type { Sandboxes, SandboxType } from './sandbox.ts';
import type { Servers } from './servers.ts';
import type { Store } from './store.ts';
import type { ToolSource } from './tool.ts';
import type { ToolSets } from './tool-sets.ts';

export type ExecutionState =
  | 'pending'
  | 'running'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'timeout';

export interface ExecutionStatus {
  readonly executionId: string;
  readonly tool: string;
  readonly state: ExecutionState;
  /** Did the side effect happen? `none` for a call that can have none. */
  readonly effect: 'none' | 'done' | 'not_done' | 'unknown' | 'undone';
  readonly startedAt: number;
  readonly progress?: { readonly fraction: number; readonly note?: string };
  readonly code?: string;
}

export interface UndoReport {
  readonly executionId: string;
  readonly restored: readonly string[];
}

/** What a dry run answers in `data`. */
export interface DryRunReport {
  readonly verdict: 'allow' | 'ask';
  readonly rule: string;
  readonly reason: string;
  readonly estimate: Estimate;
  readonly approvalsNeeded: number;
  readonly effects: readonly string[];
  readonly preconditions: PreconditionReport;
  readonly inspected: readonly string[];
}

export interface ProcessCall {
  readonly tool: string;
  readonly input: unknown;
  /** Names the call in the answer. */
  readonly id?: string;
  /** For this call alone. Who makes it is the same for all. */
  readonly options?: Pick<CallAs, 'idempotencyKey' | 'approvalId'>;
}

/** What became of one call of a request, in the order in which they were given. */
export interface ProcessedCall {
  readonly id?: string;
  readonly tool: string;
  /** `skipped`: it did not run, because an earlier one or one that it depends on failed. */
  readonly status: ToolResult['status'] | 'skipped';
  readonly executionId?: string;
}

/** The operations of the tool container contract. */
export type ProcessRequest =
  | ({ readonly operation: 'execute_single' } & ProcessCall)
  | {
      readonly operation: 'execute_chain';
      /** One after the other; stops at the first failure unless told otherwise. */
      readonly calls: readonly ProcessCall[];
      readonly continueOnError?: boolean;
    }
  | {
      readonly operation: 'orchestrate';
      readonly calls: readonly (ProcessCall & {
        readonly id: string;
        readonly dependsOn?: readonly string[];
      })[];
      readonly maxConcurrency?: number;
    }
  | { readonly operation: 'discover'; readonly query?: string }
  | { readonly operation: 'validate'; readonly calls: readonly ProcessCall[] };

export interface ProcessResult {
  readonly operation: ProcessRequest['operation'];
  readonly status: 'success' | 'partial' | 'failure';
  /** Of the calls that ran. */
  readonly results: readonly ToolResult[];
  /** Every call of the request, those that were skipped included. */
  readonly calls?: readonly ProcessedCall[];
  /** For `discover`: the tools found. For `validate`: what is wrong, per call. */
  readonly data?: unknown;
  readonly errors: readonly ToolError[];
  readonly durationMs: number;
}

export interface Capabilities {
  readonly operations: readonly ProcessRequest['operation'][];
  readonly tools: number;
  readonly sources: Readonly<Partial<Record<ToolSource, number>>>;
  readonly sandboxes: readonly SandboxType[];
  readonly store: string;
  readonly maxConcurrentTools: number;
  readonly model: boolean;
}

/** Standing grants: who may do what until it is taken back. */
export interface Permissions {
  /** Fails with VALIDATION_ERROR when the grant, or its condition, makes no sense. */
  grant(grant: NewGrant): Promise<Grant>;
  /** False when there is none of this id. */
  revoke(id: string, by?: string): Promise<boolean>;
  list(): Promise<readonly Grant[]>;
}

/** One line of the usage summary. */
export interface UsageLine {
  /** `user`, `tool`, `agent`, `session`, `flow` or `free`. */
  readonly kind: string;
  readonly name: string;
  /** The day `2026-11-15`, the month `2026-11`, or empty for all time. */
  readonly period: string;
  readonly usd: number;
  readonly heldUsd: number;
  readonly calls: number;
  readonly tokens: number;
  /** The limits in force; a missing one is no limit. */
  readonly limit: { readonly usd?: number; readonly calls?: number; readonly tokens?: number };
}

/** Links that decide one question once. Whoever holds one can answer, so they are sent, not shown. */
export interface ApprovalLinks {
  readonly approvalId: string;
  readonly approve: string;
  readonly deny: string;
  readonly expiresAt: number;
}

export interface Crib {
  readonly tools: Catalog & ToolSets;
  readonly permissions: Permissions;
  readonly events: Events;
  /** The MCP servers that are configured. */
  readonly servers: Servers;
  /** What is accepted of the tools from outside, and what is not. */
  readonly lock: ToolLock;
  /** The store, opened on first use: listing tools needs none. */
  store(): Promise<Store>;
  /** Always answers with a result; it rejects only after `close`. */
  execute(tool: string, input: unknown, as?: CallAs): Promise<ToolResult>;
  /** The signal cancels all calls of the request; each call is held to the dollars a day. */
  process(
    request: ProcessRequest,
    caller?: Partial<Caller> & Pick<CallOptions, 'signal' | 'dailyUsd'>,
  ): Promise<ProcessResult>;
  /** `undefined` for an execution nobody knows. */
  status(executionId: string): Promise<ExecutionStatus | undefined>;
  /** Aborts the signal of a running call. False when there is none to abort. */
  cancel(executionId: string): boolean;
  /** Lets go of everything kept for a finished call: snapshots and stored results. */
  cleanup(executionId: string): Promise<void>;
  /** Whether `undo` would find something to restore; false for an unknown call. */
  isUndoable(executionId: string): Promise<boolean>;
  /**
   * Restores what the call changed. Fails with CONFLICT when it was changed again since, with
   * UNDO_EXPIRED when it was so long ago that what is needed for it is kept no more. A caller undoes
   * its own calls, an owner or admin those of others, too.
   */
  undo(executionId: string, as?: CallAs): Promise<ToolResult<UndoReport>>;
  /** A page of a result that was too large to return. */
  readResult(
    handle: string,
    range?: { readonly offset?: number; readonly limit?: number },
    caller?: Partial<Caller>,
  ): Promise<{ readonly text: string; readonly total: number } | undefined>;
  /** Forgets cached results by tool, tag or path; returns how many. */
  invalidate(
    what: { readonly tool: string } | { readonly tag: string } | { readonly path: string },
  ): number;
  approvals(): Promise<readonly ApprovalRecord[]>;
  /** False when the question is not waiting any more. */
  decide(approvalId: string, answer: ApprovalAnswer): Promise<boolean>;
  /** Signed links for a waiting question. Fails with APPROVAL_EXPIRED when it is not waiting. */
  approvalLinks(approvalId: string): Promise<ApprovalLinks>;
  /** Decides by a link. Fails with APPROVAL_EXPIRED when it is forged, used or too old. */
  decideByLink(token: string): Promise<{ readonly approvalId: string; readonly approved: boolean }>;
  /** Which rule decides about a call, and why. Runs nothing. */
  explain(tool: string, input: unknown, as?: CallAs): Promise<Explanation>;
  /** What was spent, today unless told otherwise. */
  usage(filter?: { readonly period?: string }): Promise<readonly UsageLine[]>;
  /** A signed note of the end of the audit trail; kept elsewhere it proves later tampering. */
  checkpoint(): Promise<AuditCheckpoint>;
  /** Walks the whole audit chain; `expected` is a head noted earlier, against truncation. */
  verifyAudit(
    expected?: { readonly seq: number; readonly hash: string } | AuditCheckpoint,
  ): Promise<AuditVerification>;
  getCapabilities(): Capabilities;
  /** Which isolation this machine can give, and what the rest would take. */
  sandboxes(): ReturnType<Sandboxes['readiness']>;
  /** Waits for running calls, cleans tools up, closes the store. */
  close(): Promise<void>;
}
