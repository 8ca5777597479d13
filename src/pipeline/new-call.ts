/** Builds the one object that travels through the pipeline for a call. */
import type {
  AbortReason,
  CallControl,
  CallNotes,
  CallRequest,
  Evidence,
  ReadyTool,
} from '../contract/call.ts';
import type { CallAs, CallOptions } from '../contract/call-options.ts';
import { type Caller, LOCAL_CALLER } from '../contract/caller.ts';
import type { InnerCallOptions } from '../contract/context.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Span } from '../contract/telemetry.ts';
import { digestOf } from '../kit/data/canonical-json.ts';
import { traceIdOf } from '../kit/http/trace-context.ts';
import { evidenceOf } from './pipeline.ts';

export interface CallInput {
  readonly toolName: string;
  readonly rawInput: unknown;
  readonly as: CallAs | undefined;
  readonly parent: CallRequest | undefined;
  /** The options that the calling tool sets; the caller is that of `parent`. */
  readonly inner?: InnerCallOptions | undefined;
  /** Only the engine sets it: callers can name a tool, not hand one over. */
  readonly internal?: ReadyTool;
  /** Only the crib sets it: an id that it returned before the store was open. */
  readonly executionId?: string;
}

/** What gives a call its id and its time. */
export interface NewCallDeps {
  readonly runtime: Runtime;
  /** Takes the start of the call, so that the clock is read once for both. */
  nextId(at: number): string;
}

/** Progress reports up to this number are all passed on. */
const UNFILTERED_STEPS = 1_000;

/** Passes on every report up to 1,000, then 900 of each power of ten: a flood would overwhelm a client. */
const isPassedOn = (step: number): boolean =>
  step <= UNFILTERED_STEPS || step % 10 ** (Math.floor(Math.log10(step)) - 2) === 0;

/** Cancels one call and reports its progress. Its AbortSignal is made when first asked for. */
class Control implements CallControl {
  reason: AbortReason | undefined = undefined;
  #controller: AbortController | undefined = undefined;
  #callback: (() => void) | undefined = undefined;
  /** A list only where more than one waits, which is rare. */
  #others: (() => void)[] | undefined = undefined;
  #onProgress: CallOptions['onProgress'];
  #steps = 0;
  #isEndTold = false;
  /** Set by the stage that runs the idle timer. */
  touch: (() => void) | undefined = undefined;
  /** The last step that was passed on. */
  last: { fraction: number; note: string | undefined } | undefined = undefined;

  constructor(onProgress: CallOptions['onProgress']) {
    this.#onProgress = onProgress;
  }

  get aborted(): boolean {
    return this.reason !== undefined;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.reason) this.#controller.abort(this.reason);
    }
    return this.#controller.signal;
  }

  abort(reason: AbortReason): void {
    if (this.reason) return;
    this.reason = reason;
    this.#controller?.abort(reason);
    const first = this.#callback;
    const others = this.#others;
    this.#callback = undefined;
    this.#others = undefined;
    first?.();
    if (others) for (const callback of others) callback();
  }

  onAbort(callback: () => void): void {
    if (this.reason) callback();
    else if (!this.#callback) this.#callback = callback;
    else if (this.#others) this.#others.push(callback);
    else this.#others = [callback];
  }

  step(fraction: number): boolean {
    this.touch?.();
    this.#steps += 1;
    // The final report completes the client's progress bar; it is passed on once.
    const isLast = fraction === 1 && !this.#isEndTold;
    this.#isEndTold ||= isLast;
    return isLast || isPassedOn(this.#steps);
  }

  progress(fraction: number, note: string | undefined): void {
    this.last = { fraction, note };
    try {
      this.#onProgress?.(fraction, note);
    } catch {
      // The listener is the caller's: its error must not fail the tool that reports.
    }
  }
}

export type PipelineControl = Control;

class Notes implements CallNotes {
  attempts = 0;
  costMicros = 0;
  tokens = 0;
  cached = false;
  degraded = false;
  intentTried = false;
  intentRecorded = false;
  innerIntent = false;
  innerCalls: CallNotes['innerCalls'] = undefined;
  innerOutcomes: CallNotes['innerOutcomes'] = undefined;
  effectPossible = false;
  stopped = false;
  ended = false;
  work: CallNotes['work'] = undefined;
  innerRunning: CallNotes['innerRunning'] = undefined;
  innerIntents: CallNotes['innerIntents'] = undefined;
  claim: string | undefined = undefined;
  isClaimLost = false;
  decision: CallNotes['decision'] = undefined;
  warnings: string[] | undefined = undefined;
  resources: Set<string> | undefined = undefined;
  writes = 0;
  failedWrites = 0;
  runMs = 0;
  cpuMs = 0;
  peakMemoryBytes = 0;
  waitedMs = 0;
  recordedInput: unknown = undefined;
  summary: string | undefined = undefined;
  undoData: unknown = undefined;
  innerLabels: CallNotes['innerLabels'] = undefined;
}

/** All evidence fields exist from the start, so that every call has the same hidden class. */
class PipelineCall implements CallRequest, Record<keyof Evidence, unknown> {
  readonly executionId: string;
  readonly toolName: string;
  readonly rawInput: unknown;
  readonly caller: Caller;
  readonly options: CallOptions;
  readonly parent: CallRequest | undefined;
  readonly internal: ReadyTool | undefined;
  readonly startedAt: number;
  readonly startedElapsed: number;
  traceId: string;
  span: Span | undefined = undefined;
  readonly notes: CallNotes = new Notes();
  readonly control: Control;
  ready: unknown = undefined;
  input: unknown = undefined;
  inspected: unknown = undefined;
  grant: unknown = undefined;
  fresh: unknown = undefined;
  admitted: unknown = undefined;
  authenticated: unknown = undefined;
  preconditions: unknown = undefined;
  approval: unknown = undefined;
  budget: unknown = undefined;
  context: unknown = undefined;
  purse: unknown = undefined;
  runningIndex = -1;

  constructor(from: CallInput, { runtime, nextId }: NewCallDeps) {
    // A copy: the caller must not turn a dry run into a real one while it is under way.
    const options = from.as ? { ...from.as } : innerOptions(from);
    this.startedElapsed = runtime.elapsed();
    this.startedAt = runtime.nowAt ? runtime.nowAt(this.startedElapsed) : runtime.now();
    this.executionId = from.executionId ?? nextId(this.startedAt);
    this.toolName = from.toolName;
    this.rawInput = from.rawInput;
    this.caller = from.parent && !from.as ? from.parent.caller : callerOf(from.as);
    this.options = options;
    this.parent = from.parent;
    this.internal = from.internal;
    this.traceId = traceIdIn(options) ?? from.parent?.traceId ?? this.executionId;
    this.control = new Control(options.onProgress);
  }
}

const traceIdIn = ({ trace, traceId }: CallOptions): string | undefined =>
  trace ? traceIdOf(trace) : traceId;

const NO_OPTIONS: CallOptions = Object.freeze({});

/** Takes only the options that a tool may set for a call it makes. */
const innerOptions = ({ inner, parent }: Pick<CallInput, 'inner' | 'parent'>): CallOptions => {
  const { timeoutMs, callKey } = inner ?? {};
  if (timeoutMs === undefined && callKey === undefined) return NO_OPTIONS;
  return {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(callKey !== undefined && { idempotencyKey: innerKey(parent, callKey) }),
  };
};

/**
 * Makes the idempotency key of an inner call from all that tells it apart: a service that knows keys may
 * see those of every user and tool.
 */
const innerKey = (parent: CallRequest | undefined, callKey: string): string => {
  if (!parent) return callKey;
  const { caller, toolName, executionId, options } = parent;
  const tool = evidenceOf(parent).ready?.tool.name ?? toolName;
  const own = options.idempotencyKey ?? executionId;
  return `inner:${digestOf([caller.userId, tool, own, callKey])}`;
};

/**
 * Completes the caller that the program names. One with a `userId` has only the roles that it is given; one without
 * has those of the local caller.
 */
export const callerOf = (as: Partial<Caller> | undefined): Caller => {
  if (!as || (as.userId === undefined && !overrides(as))) return LOCAL_CALLER;
  const anonymous = as.userId === undefined;
  return {
    userId: as.userId ?? LOCAL_CALLER.userId,
    agentId: as.agentId ?? LOCAL_CALLER.agentId,
    sessionId: as.sessionId ?? LOCAL_CALLER.sessionId,
    loopId: as.loopId ?? LOCAL_CALLER.loopId,
    roles: as.roles ?? (anonymous ? LOCAL_CALLER.roles : []),
    // The program vouches for its callers; naming permissions narrows them.
    permissions: as.permissions ?? LOCAL_CALLER.permissions,
    isolation: as.isolation ?? LOCAL_CALLER.isolation,
    tools: as.tools,
    authenticated: as.authenticated,
  };
};

const overrides = (as: Partial<Caller>): boolean =>
  as.agentId !== undefined ||
  as.sessionId !== undefined ||
  as.loopId !== undefined ||
  as.roles !== undefined ||
  as.permissions !== undefined ||
  as.isolation !== undefined ||
  as.tools !== undefined ||
  as.authenticated !== undefined;

/** Makes a call, with nothing proven yet. */
export const newCall = (from: CallInput, deps: NewCallDeps): CallRequest & { control: Control } =>
  new PipelineCall(from, deps) as unknown as CallRequest & { control: Control };
