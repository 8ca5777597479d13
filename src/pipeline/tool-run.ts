/** Runs the code of a tool once: from its first line to its result, its failure or the abort of the call. */
import { types } from 'node:util';
import type { AdmittedCall } from '../contract/call.ts';
import { type ToolError, toolError } from '../contract/errors.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Tool } from '../contract/tool.ts';
import { thrownText } from '../kit/data/reason-of.ts';
import { hasNotBegun } from '../registry/unchanged-calls.ts';
import type { Contexts } from './broker/context.ts';
import { endWork } from './broker/work-signal.ts';
import { overspent, type Purse, purseOf } from './budget/purse.ts';
import { endInner, hasInner } from './inner-runs.ts';
import type { PipelineControl } from './new-call.ts';
import { failed, failedWith, succeeded } from './outcome.ts';
import { type ErrorDeps, toolExplained, toolThrew } from './record/as-tool-error.ts';
import { effectState, recordInput } from './record/audit-entry.ts';
import type { Deadlines } from './recovery/deadlines.ts';
import type { ToolSettings } from './tool-settings.ts';
import type { UndoLog } from './undo/undo-log.ts';

export interface ToolRunDeps extends ErrorDeps {
  readonly contexts: Contexts;
  readonly deadlines: Deadlines;
  readonly undoLog: UndoLog;
  readonly checkOutput: boolean;
  settingsOf(tool: Tool): ToolSettings;
}

/** Aborts the call when `progress` stays away for too long. */
const watchIdle = (call: AdmittedCall, deps: ToolRunDeps): (() => void) | undefined => {
  const { idleTimeoutMs } = deps.settingsOf(call.ready.tool);
  return idleTimeoutMs === undefined ? undefined : abortWhenIdle(call, idleTimeoutMs, deps);
};

const abortWhenIdle = (
  call: AdmittedCall,
  idleMs: number,
  { deadlines }: ToolRunDeps,
): (() => void) => {
  const control = call.control as PipelineControl;
  let deadline = deadlines.abortAfter(idleMs, control);
  control.touch = () => {
    deadline.cancel();
    deadline = deadlines.abortAfter(idleMs, control);
  };
  return () => {
    control.touch = undefined;
    deadline.cancel();
  };
};

/** Turns what a tool threw into an error, by the tool's own `handleError` where it has one. */
export const errorOf = (error: unknown, call: AdmittedCall, deps: ToolRunDeps): ToolError => {
  try {
    const { tool } = call.ready;
    const explained = tool.handleError && toolExplained(tool.handleError(error), call, deps);
    if (explained) return explained;
  } catch (again) {
    deps.runtime.log.warn('handleError threw', { error: thrownText(again) });
  }
  return toolThrew(error, call, deps);
};

interface ContentAndData {
  readonly content: unknown;
  readonly structuredContent: unknown;
}

/** Finds a server's result with content blocks beside its data: the output schema covers the data alone. */
const withContent = (data: unknown): ContentAndData | undefined => {
  if (typeof data !== 'object' || data === null || Object.keys(data).length !== 2) return undefined;
  const isBoth = Object.hasOwn(data, 'structuredContent') && Object.hasOwn(data, 'content');
  return isBoth ? (data as ContentAndData) : undefined;
};

const checked = (call: AdmittedCall, data: unknown, deps: ToolRunDeps): ToolResult => {
  const { output } = call.ready;
  if (!output || !deps.checkOutput) return succeeded(call, data);
  const both = call.ready.tool.source === 'mcp' ? withContent(data) : undefined;
  try {
    const parsed = output.validate(both ? both.structuredContent : data);
    if (!parsed.ok) return failed(call, 'OUTPUT_INVALID', { issues: parsed.issues });
    return succeeded(call, both ? { ...both, structuredContent: parsed.value } : parsed.value);
  } catch {
    return failed(call, 'OUTPUT_INVALID', { message: 'The result cannot be read.' });
  }
};

const succeededWith = (
  call: AdmittedCall,
  data: unknown,
  deps: ToolRunDeps,
): ToolResult | Promise<ToolResult> => {
  const result = checked(call, data, deps);
  if (!call.ready.tool.undo || !result.success) return result;
  // A call that only reads has nothing to undo.
  if (call.notes.undoData === null || call.grant.tier === 'read_only') return result;
  return keepForUndo(call, result, deps);
};

/** Keeps what `undo` needs. Where that fails, the result stands, and the call cannot be undone. */
const keepForUndo = async (
  call: AdmittedCall,
  result: ToolResult,
  deps: ToolRunDeps,
): Promise<ToolResult> => {
  const { undoData } = call.notes;
  const past = undoData === undefined ? result : { ...result, kept: undoData };
  try {
    await deps.undoLog.keep(call.executionId, { input: call.input, result: past });
  } catch (error) {
    deps.runtime.log.warn('what undo needs could not be kept', { error: thrownText(error) });
    call.notes.warnings ??= [];
    call.notes.warnings.push('The call cannot be undone: its result could not be kept.');
  }
  return result;
};

/** What is said of an aborted call that may have taken effect: to call again could do it twice. */
const MAY_BE_DONE = {
  CANCELLED: 'The call was cancelled before it finished. It may take effect all the same.',
  TIMEOUT: 'The tool did not finish in time. It may take effect all the same.',
};

const aborted = (call: AdmittedCall): ToolResult => {
  const { reason = 'CANCELLED' } = call.control;
  const { innerOutcomes: results } = call.notes;
  if (reason === 'BUDGET_EXCEEDED') {
    const { code, message, extras } = overspent();
    return failedWith(call, toolError(code, message, extras));
  }
  const partial = results && { partial: { results } };
  const result = failed(call, reason, partial);
  const isRepeatable = call.ready.tool.idempotent || effectState(call, result) !== 'unknown';
  if (isRepeatable) return result;
  const suggestions = ['Look whether it is done before it is called again.'];
  return failed(call, reason, { message: MAY_BE_DONE[reason], suggestions, ...partial });
};

/** Runs a tool once. */
class ToolRun {
  readonly #call: AdmittedCall;
  readonly #deps: ToolRunDeps;
  readonly #stopWatching: (() => void) | undefined;
  readonly #effectBefore: boolean;
  #startedAt: number | undefined;
  /** Absent once the run is over. */
  #resolve: ((result: ToolResult | Promise<ToolResult>) => void) | undefined = undefined;
  #reject: ((error: unknown) => void) | undefined = undefined;

  constructor(call: AdmittedCall, deps: ToolRunDeps) {
    this.#call = call;
    this.#deps = deps;
    this.#effectBefore = call.notes.effectPossible;
    // For a composed tool, an inner call sets this when it records its intent.
    call.notes.effectPossible ||= call.grant.tier !== 'read_only' && !call.ready.tool.composition;
    recordInput(call, deps.redactor);
    this.#stopWatching = watchIdle(call, deps);
    const isPaidByTime = call.ready.tool.cost?.perUnit?.unit === 'second';
    this.#startedAt = isPaidByTime ? deps.runtime.elapsed() : undefined;
  }

  start(): Promise<ToolResult> {
    const call = this.#call;
    let work: PromiseLike<unknown>;
    try {
      const returned: unknown = call.ready.tool.run(call.input, this.#deps.contexts.of(call));
      if (!isThenable(returned)) return Promise.resolve(this.#returned(returned));
      work = returned;
    } catch (error) {
      return Promise.resolve(this.#threw(error));
    }
    return this.#waitFor(work);
  }

  /** Waits for the tool or the abort: a tool that ignores its signal cannot delay the call. */
  #waitFor(work: PromiseLike<unknown>): Promise<ToolResult> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#call.control.onAbort(() => this.#end('aborted', undefined));
      const rejected = (error: unknown): void => this.#end('threw', error);
      try {
        subscribe(work, (data) => this.#end('returned', data), rejected);
      } catch (error) {
        rejected(error);
      }
    });
  }

  /** Settles the promise by whatever comes first; the rest, such as a late rejection, is dropped. */
  #end(how: 'returned' | 'threw' | 'aborted', value: unknown): void {
    const resolve = this.#resolve;
    if (!resolve) return;
    this.#resolve = undefined;
    try {
      if (how === 'returned') resolve(this.#returned(value));
      else resolve(how === 'threw' ? this.#threw(value) : this.#aborted());
    } catch (error) {
      this.#reject?.(error);
    }
  }

  #aborted(): ToolResult {
    this.#stop();
    this.#call.notes.stopped = true;
    return aborted(this.#call);
  }

  #returned(data: unknown): ToolResult | Promise<ToolResult> {
    this.#stop();
    if (hasInner(this.#call)) return this.#afterInner(false, () => this.#returned(data));
    const purse = purseOf(this.#call);
    if (purse) return this.#paid(data, purse);
    return succeededWith(this.#call, data, this.#deps);
  }

  /** Returns the data once the ledger has covered what the tool charged. */
  async #paid(data: unknown, purse: Purse): Promise<ToolResult> {
    await purse.settled;
    // Any abort counts, not only BUDGET_EXCEEDED: the time may have run out before the ledger refused.
    if (this.#call.control.aborted) return aborted(this.#call);
    return succeededWith(this.#call, data, this.#deps);
  }

  /** Concludes the run once the calls that the tool left behind are over: the next attempt must not meet them. */
  async #afterInner(
    isFailed: boolean,
    conclude: () => ToolResult | Promise<ToolResult>,
  ): Promise<ToolResult> {
    const call = this.#call;
    await endInner(call, isFailed);
    return hasInner(call) ? this.#aborted() : conclude();
  }

  #stop(): void {
    this.#stopWatching?.();
    if (this.#startedAt !== undefined) {
      this.#call.notes.runMs += this.#deps.runtime.elapsed() - this.#startedAt;
    }
    this.#startedAt = undefined;
  }

  #threw(error: unknown): ToolResult | Promise<ToolResult> {
    // A tool that noticed the abort itself usually throws some error of its own.
    if (this.#call.control.reason) return this.#aborted();
    this.#stop();
    endWork(this.#call);
    if (hasInner(this.#call)) return this.#afterInner(true, () => this.#threw(error));
    const failure = errorOf(error, this.#call, this.#deps);
    const { notes } = this.#call;
    if (hasNotBegun(failure) && !notes.innerIntent) notes.effectPossible = this.#effectBefore;
    return failedWith(this.#call, failure);
  }
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  'then' in value &&
  typeof value.then === 'function';

const promiseThen = Promise.prototype.then;

/** Uses the language's own `then` for promises: one that the tool overrode may never call back. */
const subscribe = (
  work: PromiseLike<unknown>,
  fulfilled: (data: unknown) => void,
  rejected: (error: unknown) => void,
): void => {
  // Asking first for what nearly all promises have saves 0.02 µs.
  if (work.then === promiseThen || types.isPromise(work)) {
    void promiseThen.call(work, fulfilled, rejected);
  } else work.then(fulfilled, rejected);
};

/** Notes which calls to undo in order to undo this one, however it ended. */
const keepInnerCalls = async (
  call: AdmittedCall,
  result: ToolResult,
  { undoLog, runtime }: ToolRunDeps,
): Promise<ToolResult> => {
  const { innerCalls } = call.notes;
  if (!innerCalls) return result;
  try {
    await undoLog.keepInner(call.executionId, [...innerCalls]);
  } catch (error) {
    runtime.log.warn('what undo needs could not be kept', { error: thrownText(error) });
    call.notes.warnings ??= [];
    call.notes.warnings.push('The call can only be undone part by part: its parts were not kept.');
  }
  return result;
};

/** Runs the tool; the result says how it ended. */
export const runTool = (call: AdmittedCall, deps: ToolRunDeps): Promise<ToolResult> => {
  const ended = new ToolRun(call, deps).start();
  if (!call.ready.tool.callsTools) return ended;
  return ended.then((result) => keepInnerCalls(call, result, deps));
};
