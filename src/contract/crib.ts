/** The crib as surfaces and adapters see it. */
import type { Estimate } from './call.ts';
import type { CallAs, CallOptions } from './call-options.ts';
import type { Caller } from './caller.ts';
import type {
  CribApprovals,
  CribAudit,
  CribExecutions,
  CribHealth,
  CribResults,
  CribTools,
  CribUsage,
  Permissions,
} from './crib-members.ts';
import type { ToolError } from './errors.ts';
import type { Events } from './events.ts';
import type { Explanation } from './policy.ts';
import type { PreconditionReport } from './precondition.ts';
import type { ToolResult } from './result.ts';
import type { SandboxType } from './sandbox.ts';
import type { Servers } from './servers.ts';
import type { ToolSource } from './tool.ts';

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

export interface Crib {
  readonly tools: CribTools;
  readonly approvals: CribApprovals;
  readonly audit: CribAudit;
  readonly executions: CribExecutions;
  readonly permissions: Permissions;
  readonly results: CribResults;
  readonly usage: CribUsage;
  readonly health: CribHealth;
  readonly events: Events;
  /** The MCP servers that are configured. */
  readonly servers: Servers;
  /** Always answers with a result; it rejects only after `close`. */
  execute(tool: string, input: unknown, as?: CallAs): Promise<ToolResult>;
  /** The signal cancels all calls of the request. */
  process(
    request: ProcessRequest,
    caller?: Partial<Caller> & Pick<CallOptions, 'signal'>,
  ): Promise<ProcessResult>;
  /** Which rule decides about a call, and why. Runs nothing. */
  explain(tool: string, input: unknown, as?: CallAs): Promise<Explanation>;
  getCapabilities(): Capabilities;
  /** Waits for running calls, cleans tools up, closes the store. */
  close(): Promise<void>;
}
