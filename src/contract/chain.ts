/** Chains: calls that are made at once, one after the other or as a graph, each with what earlier ones gave. */
import type { CallAs } from './call-options.ts';
import type { ToolError } from './errors.ts';
import type { FlowChange, FlowFault, FlowValue } from './flow-data.ts';
import type { FlowPlan } from './flow-plan.ts';
import type { ToolResult } from './result.ts';
import type { ResourceRequirements } from './tool-limits.ts';

/** How one call of a chain is made. Who makes it is the same for all. */
export type ChainCallOptions = Pick<
  CallAs,
  'idempotencyKey' | 'approvalId' | 'version' | 'timeoutMs' | 'dryRun'
>;

/** One call of a chain. */
export interface ChainCall {
  readonly tool: string;
  /** The input as it is; or `inputFrom`. */
  readonly input?: unknown;
  /**
   * An input that is computed when the call is made: `{ from: 'steps.call1.data.url' }`, `{ cel: … }` or
   * literals, at any depth. `input` is never read this way: data cannot add a reference.
   */
  readonly inputFrom?: FlowValue;
  /** Names the call; `call1`, `call2` … by its position when absent. */
  readonly id?: string;
  /** Where any call has it, calls run as soon as those that they name have succeeded. */
  readonly dependsOn?: readonly string[];
  readonly options?: ChainCallOptions;
}

export interface ChainOptions {
  /**
   * Goes on after a failure; calls that use what failed are skipped or fail. Of calls with `dependsOn`,
   * those that come after a failed one are skipped all the same.
   */
  readonly continueOnError?: boolean;
  readonly maxConcurrency?: number;
}

/** What became of one call; one for every call of the chain. */
export interface ChainCallResult {
  readonly id: string;
  readonly tool: string;
  readonly status: ToolResult['status'] | 'skipped';
  /** Absent for calls that were not made. */
  readonly result?: ToolResult;
  /** Why it was not made. */
  readonly because?: string;
  readonly error?: ToolError;
}

/** When a call ran, and after which. Milliseconds since the start of the chain. */
export interface ChainFlowEntry {
  readonly id: string;
  readonly after: readonly string[];
  readonly startedMs?: number;
  readonly finishedMs?: number;
}

export interface ChainResult {
  /** Budgets for each flow hold for the chain under this id. */
  readonly chainId: string;
  readonly overallStatus: 'success' | 'partial' | 'failure';
  readonly results: readonly ChainCallResult[];
  readonly flow: readonly ChainFlowEntry[];
  readonly totalDurationMs: number;
  readonly totalResourcesUsed: ChainResources;
}

/** What the calls of a chain used together. */
export interface ChainResources {
  readonly costUsd: number;
  readonly tokens: number;
  /** Milliseconds of processor in sandboxes; tools that run in this process are not measured. */
  readonly cpuMs: number;
  /** The most that one call held in its sandbox; calls that ran together may have held more. */
  readonly peakMemoryBytes: number;
}

/** What a chain would do. Nothing has been run. */
export interface ChainValidation {
  /** No faults, and no rule denies a call. */
  readonly ok: boolean;
  readonly faults: readonly FlowFault[];
  /** Of the calls without faults; absent where the chain cannot be read at all. */
  readonly plan?: FlowPlan;
}

export interface OptimizedChain {
  readonly calls: readonly ChainCall[];
  readonly changes: readonly FlowChange[];
  readonly saves: { readonly calls: number; readonly levels: number };
}

/** What the calls of a chain may use at once; never more than the machine has. */
export interface ChainScheduleOptions extends ResourceRequirements {
  readonly maxConcurrency?: number;
}

/** Bytes of memory and disk, and cores: 1.5 is a core and a half. */
export interface ResourceShare {
  readonly memoryBytes: number;
  readonly diskBytes: number;
  readonly cores: number;
}

/** Calls that may run together, and what they declare to use of the machine. */
export interface ScheduleRound {
  readonly calls: readonly string[];
  readonly uses: ResourceShare;
}

/** When the calls of a chain can run, by what their tools declare in `resourceRequirements`. */
export interface ChainSchedule {
  readonly available: ResourceShare;
  readonly rounds: readonly ScheduleRound[];
  /** Calls that declare more than there is: each has a round of its own. */
  readonly oversized: readonly string[];
}

/** What the machine has for tools that declare `resourceRequirements`, and what those that run now use of it. */
export interface ResourceUse {
  readonly available: ResourceShare;
  readonly used: ResourceShare;
  /** Calls of flows and chains that declare something: those that run, and those that wait for room. */
  readonly running: number;
  readonly waiting: number;
}

/** Chains of calls that run at once. For runs that survive the end of the process use `crib.flows`. */
export interface CribChains {
  /**
   * Makes the calls. Rejects with VALIDATION_ERROR for a chain that cannot be made; what fails in it is in
   * the result.
   *
   * @example
   * const { overallStatus, results } = await crib.chains.execute([
   *   { tool: 'greet', input: { name: 'Ada' } },
   *   { tool: 'greet', inputFrom: { name: { from: 'steps.call1.data' } } },
   * ]);
   */
  execute(calls: readonly ChainCall[], options?: ChainOptions, as?: CallAs): Promise<ChainResult>;
  /**
   * Finds all faults of a chain, and what the rules, budgets and credentials say. Runs nothing.
   *
   * @example
   * const { ok, faults } = await crib.chains.validate([{ tool: 'greet', input: { name: 'Ada' } }]);
   */
  validate(calls: readonly ChainCall[], as?: CallAs): Promise<ChainValidation>;
  /**
   * Makes equal reads once and lets independent reads run together. Effects keep their order. Calls that
   * come back with `dependsOn` do not go on after a failure: `continueOnError` is for those without.
   *
   * @example
   * const { calls, saves } = await crib.chains.optimize([{ tool: 'greet', input: { name: 'Ada' } }]);
   */
  optimize(calls: readonly ChainCall[]): Promise<OptimizedChain>;
  /**
   * Divides the calls into rounds, so that none uses more resources than `options` and the machine allow;
   * each tool declares its use in `resourceRequirements`. Runs nothing. Rejects like
   * `execute`, and with TOOL_NOT_FOUND.
   *
   * @example
   * const { rounds } = await crib.chains.schedule(
   *   [{ tool: 'greet', input: { name: 'Ada' } }, { tool: 'greet', input: { name: 'Bo' } }],
   *   { memory: '512MB', cpu: '200%' },
   * );
   * console.log(rounds.map(({ calls }) => calls)); // [['call1'], ['call2']]
   */
  schedule(calls: readonly ChainCall[], options?: ChainScheduleOptions): Promise<ChainSchedule>;
  /**
   * Says what calls of chains and of flows as data use of this machine at this moment, by what their tools
   * declare.
   *
   * @example
   * const { used, waiting } = await crib.chains.resources();
   * console.log(used.memoryBytes, waiting);
   */
  resources(): Promise<ResourceUse>;
}
