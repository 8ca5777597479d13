/**
 * A call on its way through the pipeline, and the evidence the gates add to it. The step that runs
 * the tool asks for all of it, so a pipeline that leaves a gate out does not compile.
 */
import type { CallOptions } from './call-options.ts';
import type { Caller } from './caller.ts';
import type { PathState } from './path-state.ts';
import type { ShadowFinding } from './policy.ts';
import type { PreconditionReport } from './precondition.ts';
import type { Labels, ToolResult } from './result.ts';
import type { Schema } from './schema.ts';
import type { BudgetScope } from './store.ts';
import type { Span } from './telemetry.ts';
import type { Capability, Tier, Tool } from './tool.ts';

/** A tool as the pipeline gets it from the registry: compiled once, ready to run. */
export interface ReadyTool {
  readonly tool: Tool;
  readonly input: Schema;
  readonly output: Schema | undefined;
  readonly labels: Labels;
  readonly deprecated: boolean;
  /** Neither switched off nor in quarantine; read anew on every call. */
  readonly enabled: boolean;
  /** Nobody has accepted the definition yet, which is one reason not to be enabled. */
  readonly quarantined?: boolean;
  /** A person is asked about every call, whatever the rules allow; only internal tools have it. */
  readonly alwaysAsks?: true;
  /** The call is refused where a person would have to be asked; only internal tools have it. */
  readonly neverAsks?: true;
  /** What a caller's list of tools has to name; internal tools without it are on every list. */
  readonly listedAs?: string;
  /** Runs `initialize` once; later calls get the same promise, or nothing when it is over. */
  initialize(): Promise<void> | undefined;
}

/** What came in, before any gate. */
export interface CallRequest {
  readonly executionId: string;
  readonly toolName: string;
  readonly rawInput: unknown;
  readonly caller: Caller;
  readonly options: CallOptions;
  /** The call that made this one, for `context.call`. */
  readonly parent: CallRequest | undefined;
  /** A tool of the crib itself, which started this call; `toolName` leads to no such tool. */
  readonly internal: ReadyTool | undefined;
  readonly startedAt: number;
  readonly startedElapsed: number;
  /** Of the trace that the call is part of; set before its first stage. */
  traceId: string;
  /** The innermost span that is open; `undefined` where nobody traces. */
  span: Span | undefined;
  /** What stages and the broker note down on the way; it ends in the metadata and the audit row. */
  readonly notes: CallNotes;
  readonly control: CallControl;
}

export interface CallNotes {
  attempts: number;
  costMicros: number;
  tokens: number;
  cached: boolean;
  degraded: boolean;
  /** The write of an intent for it has begun. One that failed may be on record all the same. */
  intentTried: boolean;
  intentRecorded: boolean;
  /** A call that this one made recorded its intent, and marked this one in the same step. */
  innerIntent: boolean;
  /** The calls that it made and that may have changed something, in the order of their intents. */
  innerCalls: Set<string> | undefined;
  /** What became of the parts of a composed tool that have ended, in that order. */
  innerOutcomes: InnerOutcome[] | undefined;
  /** Something outside may have changed: from here on a retry needs an idempotent tool. */
  effectPossible: boolean;
  /** The call was answered while its tool may still run: the broker refuses it everything. */
  stopped: boolean;
  /** The call is over, and its outcome is about to be recorded: the broker refuses everything as well. */
  ended: boolean;
  /** Ends the programs, requests and questions of the attempt that is under way; most calls have none. */
  work: AbortController | undefined;
  /** The calls that it made and that are not over. */
  innerRunning: Set<InnerRun> | undefined;
  /** Writes of intents in progress: those of inner calls, and of this call on their behalf. */
  innerIntents: Set<Promise<unknown>> | undefined;
  /** The idempotency key it holds, as the store knows it. */
  claim: string | undefined;
  /** Another call took its idempotency key over before it could change anything. */
  isClaimLost: boolean;
  /** Most calls are let pass by a rule alone and have none. */
  decision: DecisionNotes | undefined;
  warnings: string[] | undefined;
  resources: Set<string> | undefined;
  writes: number;
  /** Those of `writes` that failed and left their file as it was: a full disk, for instance. */
  failedWrites: number;
  /** Milliseconds in the tool itself, in all attempts; kept for tools that are paid by the second. */
  runMs: number;
  /** Processor time of sandboxed runs, and the most memory that one of them took. */
  cpuMs: number;
  peakMemoryBytes: number;
  /** How long people took to answer questions about it, and about calls it made. */
  waitedMs: number;
  /** The input as the trail keeps it, taken before the tool could change it. */
  recordedInput: unknown;
  /** The call in one line, for lists; made when a row or a listener needs it. */
  summary: string | undefined;
  /** What the tool gave to `keepForUndo`; `null` when there is none. */
  undoData: unknown;
  /** The joined labels of the results of the calls it made. */
  innerLabels: Labels | undefined;
}

/** A call that another one made, while it is under way. */
export interface InnerRun {
  readonly control: CallControl;
  readonly done: Promise<unknown>;
}

/** What became of a call that another one made. */
export type InnerOutcome = Pick<ToolResult, 'success' | 'status' | 'data' | 'error'> & {
  readonly tool: string;
  readonly executionId: string;
};

/** Who or what let a call pass besides the rules. */
export interface DecisionNotes {
  approvedBy?: string;
  approvalId?: string;
  /** The standing grant that answered instead of a person. */
  grantId?: string;
  /** The approval of a whole plan that covered the call. */
  planApprovalId?: string;
  /** The approver changed the input: what was asked for, as the trail keeps it. */
  askedInput?: unknown;
  /** What rules in shadow mode would have done. */
  shadow?: readonly ShadowFinding[];
}

/** Why a call was stopped; `BUDGET_EXCEEDED`: it cost more than was held for it. */
export type AbortReason = 'CANCELLED' | 'TIMEOUT' | 'BUDGET_EXCEEDED';

/** The handle by which a running call is watched and stopped. */
export interface CallControl {
  readonly aborted: boolean;
  readonly reason: AbortReason | undefined;
  /** Created on first use: most tools never look. */
  readonly signal: AbortSignal;
  abort(reason: AbortReason): void;
  /** Calls back when the call is aborted; at once when it already is. */
  onAbort(callback: () => void): void;
  /** Counts a step. Returns whether it is to be passed on: of a flood of steps only some are. */
  step(fraction: number): boolean;
  /** Passes a step on to whoever watches the call. */
  progress(fraction: number, note: string | undefined): void;
}

export interface Estimate {
  readonly costMicros: number;
  /** Prompt tokens the call will probably use. */
  readonly tokens: number;
  readonly timeMs: number | undefined;
  readonly confidence: 'exact' | 'estimate' | 'unknown';
  /** The most that is held for the call, where it is more than it will probably cost. */
  readonly mostMicros?: number;
}

/** One entry a gate. The key says what was proven, the value is the proof. */
export interface Evidence {
  /** resolve */
  readonly ready: ReadyTool;
  /** validate input: policy judges what was parsed, never what was sent */
  readonly input: unknown;
  /** inspect: what looked odd but was let through */
  readonly inspected: readonly string[];
  /** authorize: the rule that let the call pass, and whether a person has to agree */
  readonly grant: Admission;
  /** replay */
  readonly fresh: true;
  /** rate limit */
  readonly admitted: true;
  /** authenticate */
  readonly authenticated: true;
  /** preconditions */
  readonly preconditions: PreconditionReport;
  /** approve: who agreed, or that nobody had to */
  readonly approval: Approval | 'not-needed';
  /** reserve budget */
  readonly budget: { readonly estimate: Estimate; readonly scopes: readonly BudgetScope[] };
}

export interface Approval {
  readonly by: string;
  /** What was approved to be touched; a write elsewhere is refused. */
  readonly targets: readonly string[];
  /** Where each path that the input names led when it was approved. */
  readonly paths: readonly ApprovedPath[];
  /** When the person was asked, where one was. */
  readonly askedAt?: number | undefined;
}

/** `asked` is absolute, as spelled; `real` has every link resolved. */
export interface ApprovedPath {
  readonly asked: string;
  readonly real: string | undefined;
  /** What the real path consisted of; absent for a path that cannot be reached. */
  readonly state?: PathState;
}

export interface Admission {
  readonly rule: string;
  readonly ask: boolean;
  /** No standing grant answers this question. */
  readonly everyTime: boolean;
  readonly reason: string;
  readonly tier: Tier;
  readonly capability: Capability | undefined;
  /** Where the call's paths led when a standing grant let it pass. */
  readonly paths?: readonly ApprovedPath[];
}

/** A call for which the named gates have been passed. */
export type Call<E extends keyof Evidence = never> = CallRequest & Pick<Evidence, E>;

/** A call that has passed every gate. */
export type AdmittedCall = Call<keyof Evidence>;

export type Next<C> = (call: C) => Promise<ToolResult>;
