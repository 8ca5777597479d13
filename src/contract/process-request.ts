/** Requests of the tool container contract, which `crib.process` answers. */
import type { ChainCallOptions, ChainResult } from './chain.ts';
import type { ToolError } from './errors.ts';
import type { FlowValue } from './flow-data.ts';
import type { ToolResult } from './result.ts';

export interface ProcessCall {
  readonly tool: string;
  readonly input?: unknown;
  /** In a chain or a plan: an input that uses what earlier calls gave; see `ChainCall`. */
  readonly inputFrom?: FlowValue;
  /** Names the call in the answer. */
  readonly id?: string;
  /** For this call alone. Who makes it is the same for all. */
  readonly options?: ChainCallOptions;
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
      /** One after the other; by default stops at the first failure. */
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
  /** Each call by itself, as a dry run with its `options`. */
  | {
      readonly operation: 'validate';
      readonly calls: readonly Omit<ProcessCall, 'inputFrom'>[];
    }
  /** The faults of a chain or a plan as a whole, its cost, and what it would ask. */
  | { readonly operation: 'validate_chain'; readonly calls: readonly OrderedCall[] }
  /** The same calls, equal reads once and independent reads together. */
  | { readonly operation: 'optimize_chain'; readonly calls: readonly OrderedCall[] };

/** A call that may name those that it comes after. */
export type OrderedCall = ProcessCall & { readonly dependsOn?: readonly string[] };

/** What `process` serves. */
export const PROCESS_OPERATIONS = [
  'execute_single',
  'execute_chain',
  'orchestrate',
  'discover',
  'validate',
  'validate_chain',
  'optimize_chain',
] as const satisfies readonly ProcessRequest['operation'][];

export interface ProcessResult {
  readonly operation: ProcessRequest['operation'];
  readonly status: 'success' | 'partial' | 'failure';
  /** Of the calls that ran. */
  readonly results: readonly ToolResult[];
  /** Every call of the request, those that were skipped included. */
  readonly calls?: readonly ProcessedCall[];
  /**
   * For `discover`: the tools found. For `validate`: what is wrong, per call. For `validate_chain` and
   * `optimize_chain`: what `crib.chains` answers.
   */
  readonly data?: unknown;
  /** Of the operations that make calls: the id that budgets of flows know, when what ran, and what it used. */
  readonly chain?: Pick<ChainResult, 'chainId' | 'flow' | 'totalResourcesUsed'>;
  readonly errors: readonly ToolError[];
  readonly durationMs: number;
}
