/** The crib as surfaces and adapters see it. */
import type { ApprovalRecord } from './approver.ts';
import type { AuditVerification } from './audit.ts';
import type { Estimate } from './call.ts';
import type { CallAs, Caller } from './caller.ts';
import type { Catalog } from './catalog.ts';
import type { ToolError } from './errors.ts';
import type { Events } from './events.ts';
import type { PreconditionReport } from './precondition.ts';
import type { ToolResult } from './result.ts';
import type { SandboxType } from './sandbox.ts';
import type { Store } from './store.ts';
import type { ToolSource } from './tool.ts';

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
  readonly results: readonly ToolResult[];
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

export interface Crib {
  readonly tools: Catalog;
  readonly events: Events;
  /** The store, opened on first use: listing tools needs none. */
  store(): Promise<Store>;
  /** Always answers with a result; it rejects only after `close`. */
  execute(tool: string, input: unknown, as?: CallAs): Promise<ToolResult>;
  process(request: ProcessRequest, caller?: Partial<Caller>): Promise<ProcessResult>;
  /** `undefined` for an execution nobody knows. */
  status(executionId: string): Promise<ExecutionStatus | undefined>;
  /** Aborts the signal of a running call. False when there is none to abort. */
  cancel(executionId: string): boolean;
  /** Lets go of everything kept for a finished call: snapshots and stored results. */
  cleanup(executionId: string): Promise<void>;
  /** Restores what the call changed. Fails with CONFLICT when it was changed again since. */
  undo(executionId: string, caller?: Partial<Caller>): Promise<ToolResult<UndoReport>>;
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
  decide(approvalId: string, approve: boolean, by: string): Promise<boolean>;
  /** Walks the whole audit chain; `expected` is a head noted earlier, against truncation. */
  verifyAudit(expected?: {
    readonly seq: number;
    readonly hash: string;
  }): Promise<AuditVerification>;
  getCapabilities(): Capabilities;
  /** Waits for running calls, cleans tools up, closes the store. */
  close(): Promise<void>;
}
