/**
 * Flows as data: steps with dependencies, written as YAML or as objects, checked by one schema. They
 * run on the same journal as flows as code.
 */
import type { ToolError } from './errors.ts';
import type { JsonSchema } from './schema.ts';
import type { Tier } from './tool.ts';

export const FLOW_KINDS = ['sequential', 'parallel', 'conditional', 'dag', 'pipeline'] as const;
/**
 * In which order the steps of a group run. `sequential`: one after the other. `parallel`: all at once.
 * `conditional`: the first whose `when` holds. `dag`: each after those named in its `after`.
 * `pipeline`: one after the other, each gets what the one before returned.
 */
export type FlowKind = (typeof FLOW_KINDS)[number];

export const FLOW_JOINS = ['all_success', 'any_success', 'majority'] as const;
/** When a step with predecessors runs, and when a flow has succeeded. `custom` is CEL. */
export type FlowJoin = (typeof FLOW_JOINS)[number] | { readonly custom: string };

/**
 * A value that is computed when the step runs: a literal, `{ from: path }` or `{ cel: expression }`,
 * at any depth of objects and lists.
 */
export type FlowValue = unknown;

/** Calls one tool. The version is that which is active unless one is named. */
export interface FlowToolCall {
  readonly call: string;
  readonly version?: string;
  readonly input?: FlowValue;
}

/** Runs a step once for each item of a list. */
export interface FlowForEach {
  readonly items: FlowValue;
  /** 8 when absent; the limit of the flow holds as well. */
  readonly maxConcurrency?: number;
  /** 10,000 when absent; more items than that fail the step. */
  readonly maxItems?: number;
  /** `continue` runs all items and fails afterwards only when none succeeded; `stop` when absent. */
  readonly onFailure?: 'stop' | 'continue';
  /** False keeps only the counts: each result is in the journal. */
  readonly collect?: boolean;
}

/** Repeats a call that failed with an error that is `retryable`. */
export interface FlowRetry {
  /** All of them, the first included. */
  readonly attempts: number;
  /** 1,000 when absent. */
  readonly delayMs?: number;
  /** Each delay is the one before times this; 1 when absent. */
  readonly backoff?: number;
}

/**
 * What happens in the end to a step that failed. `fail` (the default) leaves it to `onFailure` of the
 * flow, `skip` goes on without it, `abort` ends the run, `manual` asks a person whether to try again.
 */
export type FlowLastResort = 'fail' | 'skip' | 'abort' | 'manual';

/**
 * What happens when a step has failed and may not be retried any more: the end, or another call first.
 * `otherwise` says what happens when that fails as well.
 */
export type FlowOnError =
  | FlowLastResort
  | { readonly fallback: FlowToolCall; readonly otherwise?: FlowLastResort };

/** One step: exactly one of `call`, `flow`, `approve`, `sleepMs`, `waitFor` and `steps` says what it does. */
export interface FlowDataStep extends Partial<FlowToolCall> {
  /** A letter, then letters, digits or `_`. Unique in the whole flow; the key of the step in the journal. */
  readonly id: string;
  readonly title?: string;
  /** Another flow, as `name@1.0.0`; runs as a run of its own. */
  readonly flow?: string;
  /** A question to a person. A no fails the step with USER_CANCELLED. */
  readonly approve?: string;
  /** Shown with the question. */
  readonly details?: FlowValue;
  readonly sleepMs?: number;
  /** An event that `crib.flows.send` brings. */
  readonly waitFor?: string;
  /** A group: steps with an order of their own. Its result is that of the steps nobody comes after. */
  readonly steps?: readonly FlowDataStep[];
  /** Of the group; `sequential` when absent. */
  readonly kind?: FlowKind;

  /** In a `dag`: the steps that have to end before. */
  readonly after?: readonly string[];
  /** `all_success` when absent. */
  readonly join?: FlowJoin;
  /** CEL. The step is skipped, unless `else` says otherwise, when it does not hold. */
  readonly when?: string;
  readonly else?: 'skip' | 'fail' | FlowToolCall;
  readonly forEach?: FlowForEach;
  /**
   * For each try of the step, or of each item of a `forEach`, sleeps and waits included. Of a call, its
   * alternative and its fallback it is the time of the tool: neither questions nor waits for room count.
   */
  readonly timeoutMs?: number;
  readonly retry?: FlowRetry;
  readonly onError?: FlowOnError;
  /** Computes the step's result from what it returned, which is `steps.<its own id>.data` here. */
  readonly output?: FlowValue;
}

/** What a run may use at most. Each limit narrows what the caller may do; none widens it. */
export interface FlowLimits {
  /** Calls and sub-flows at once; 16 when absent. */
  readonly maxConcurrency?: number;
  /** From the start of the run to its end, waiting included. */
  readonly timeoutMs?: number;
  /** US dollars for all calls of the run together. */
  readonly maxUsd?: number;
  /** For the tools that run at once, by their `resourceRequirements`: `512MB`. */
  readonly memory?: string;
  readonly disk?: string;
  /** 100% is one core. */
  readonly cpu?: string;
  /** The only tiers whose tools may be called. */
  readonly tiers?: readonly Tier[];
  /** The only tools that may be called. */
  readonly tools?: readonly string[];
}

export interface FlowData {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  /** `sequential` when absent. */
  readonly kind?: FlowKind;
  /** JSON Schema of the input. */
  readonly input?: JsonSchema;
  readonly steps: readonly FlowDataStep[];
  /** Whether the run as a whole has succeeded, judged by the steps that no other step follows. */
  readonly join?: FlowJoin;
  /** `stop` when absent: the first failed step ends the run. `continue` runs what does not depend on it. */
  readonly onFailure?: 'stop' | 'continue';
  /** Undoes the calls that were made, newest first, when the run fails. */
  readonly undoOnFailure?: boolean;
  readonly limits?: FlowLimits;
  /** The output of the run; the results of the steps that nobody comes after when absent. */
  readonly output?: FlowValue;
}

/**
 * Gives an object the type of a flow as data. It is checked when it is registered, validated or planned;
 * this does no I/O.
 *
 * @example
 * const hello = defineFlowData({
 *   name: 'hello',
 *   version: '1.0.0',
 *   steps: [{ id: 'say', call: 'greet', input: { name: { from: 'input.name' } } }],
 * });
 */
export const defineFlowData = (data: FlowData): FlowData => data;

/** What is wrong with a flow, and where. Line and column are there when it was read from a text. */
export interface FlowFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** A warning does not keep a flow from running. */
  readonly severity: 'error' | 'warning';
}

/** A flow that was read from a text or an object. */
export interface ParsedFlow {
  /** Absent when there are faults. */
  readonly flow?: FlowData;
  /** The flow without its faulty fields, where it is a flow without them: to be checked, never to be run. */
  readonly readable?: FlowData;
  readonly faults: readonly FlowFault[];
  /** Finds the line and column of a value, or of the nearest one around it; nothing for objects. */
  positionOf(
    path: readonly (string | number)[],
  ): { readonly line: number; readonly column: number } | undefined;
}

export interface FlowValidation {
  readonly ok: boolean;
  readonly faults: readonly FlowFault[];
}

export type FlowStepType = 'call' | 'flow' | 'approve' | 'sleep' | 'wait' | 'group';

/** Nodes and edges as plain data, for drawing. */
export interface FlowGraph {
  readonly name: string;
  readonly version: string;
  readonly kind: FlowKind;
  readonly nodes: readonly FlowGraphNode[];
  readonly edges: readonly FlowGraphEdge[];
}

export interface FlowGraphNode {
  readonly id: string;
  readonly type: FlowStepType;
  /** The title, or the tool, flow, event or question. */
  readonly label: string;
  /** The group that it is in. */
  readonly parent?: string;
  /** Of a group. */
  readonly kind?: FlowKind;
  readonly tool?: string;
  readonly tier?: Tier;
  readonly when?: string;
  readonly forEach?: boolean;
  /** Counts from 0 within its group: steps of one level can run at once. */
  readonly level: number;
}

export interface FlowGraphEdge {
  readonly from: string;
  readonly to: string;
  /** `order`: runs after it. `data`: reads its result. `both` when it does. */
  readonly type: 'order' | 'data' | 'both';
}

/** A flow that does the same with fewer or earlier calls. */
export interface FlowOptimization {
  readonly flow: FlowData;
  readonly changes: readonly FlowChange[];
  readonly saves: { readonly calls: number; readonly levels: number };
}

export interface FlowChange {
  readonly type: 'merged' | 'parallelized';
  readonly steps: readonly string[];
  readonly message: string;
}

export type FlowNodeStatus =
  | 'pending'
  | 'running'
  | 'waiting'
  | 'pending_approval'
  | 'done'
  | 'failed'
  | 'skipped'
  | 'cancelled';

/** The state of one step of a run. */
export interface FlowNodeState {
  readonly id: string;
  readonly type: FlowStepType;
  readonly status: FlowNodeStatus;
  /** Why it was skipped, failed or cancelled. */
  readonly because?: string;
  readonly error?: ToolError;
  /** The result. Groups and lists have one where they have an `output`. */
  readonly data?: unknown;
  /** How often it was made, in all tries of the groups around it. */
  readonly attempts: number;
  /** Of a `forEach`. */
  readonly items?: { readonly done: number; readonly failed: number };
  readonly approvalId?: string;
  readonly executionId?: string;
  readonly childId?: string;
  readonly startedAt?: number;
  readonly finishedAt?: number;
}

/** A run of a flow as data, step by step. */
export interface FlowRunNodes {
  readonly nodes: readonly FlowNodeState[];
  /** How many of the steps have ended. */
  readonly progress: { readonly over: number; readonly all: number };
}

/** A text (YAML), an object, or the name of a registered flow as data. */
export type FlowSource = string | FlowData;
