/**
 * The only step that runs foreign code, so it asks for the proof of every gate. Where there can be
 * a side effect, the intent is on disk before the tool starts.
 */

import type { AuditLog } from '../../contract/audit.ts';
import type { AdmittedCall } from '../../contract/call.ts';
import type { DryRunReport } from '../../contract/crib.ts';
import type { ToolError } from '../../contract/errors.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { FinalStage } from '../../contract/stage.ts';
import type { Tool } from '../../contract/tool.ts';
import { type ErrorDeps, toolThrew } from '../as-tool-error.ts';
import { auditEntry, recordInput } from '../audit-entry.ts';
import type { Contexts } from '../context.ts';
import type { Deadline, Deadlines } from '../deadlines.ts';
import type { PipelineControl } from '../new-call.ts';
import { failed, failedWith, succeeded } from '../outcome.ts';
import { hasNotBegun } from '../recovery/may-retry.ts';
import type { ToolSettings } from '../tool-settings.ts';
import type { UndoLog } from '../undo-log.ts';

export interface ExecuteDeps extends ErrorDeps {
  readonly audit: Pick<AuditLog, 'append'>;
  readonly contexts: Contexts;
  readonly deadlines: Deadlines;
  readonly undoLog: UndoLog;
  readonly checkOutput: boolean;
  settingsOf(tool: Tool): ToolSettings;
}

const report = (call: AdmittedCall): DryRunReport => ({
  verdict: call.grant.ask ? 'ask' : 'allow',
  rule: call.grant.rule,
  reason: call.grant.reason,
  estimate: call.budget.estimate,
  approvalsNeeded: call.grant.ask ? 1 : 0,
  effects: (call.ready.tool.effects ?? []).map(({ description }) => description),
  preconditions: call.preconditions,
  inspected: call.inspected,
});

/** Aborts the call when `progress` stays away for too long. */
const watchIdle = (call: AdmittedCall, deps: ExecuteDeps): (() => void) | undefined => {
  const { idleTimeoutMs } = deps.settingsOf(call.ready.tool);
  if (idleTimeoutMs === undefined) return undefined;
  const control = call.control as PipelineControl;
  let deadline: Deadline;
  const arm = (): void => {
    deadline = deps.deadlines.after(idleTimeoutMs, () => control.abort('TIMEOUT'));
  };
  arm();
  control.touch = () => {
    deadline.cancel();
    arm();
  };
  return () => {
    control.touch = undefined;
    deadline.cancel();
  };
};

const errorOf = (error: unknown, call: AdmittedCall, deps: ExecuteDeps): ToolError => {
  try {
    const own = call.ready.tool.handleError?.(error);
    if (own) return own;
  } catch (again) {
    deps.runtime.log.warn('handleError threw', { error: String(again) });
  }
  return toolThrew(error, call, deps);
};

const checked = (call: AdmittedCall, data: unknown, deps: ExecuteDeps): ToolResult => {
  const { output } = call.ready;
  if (!output || !deps.checkOutput) return succeeded(call, data);
  const parsed = output.validate(data);
  if (parsed.ok) return succeeded(call, parsed.value);
  return failed(call, 'OUTPUT_INVALID', { issues: parsed.issues });
};

const succeededWith = (
  call: AdmittedCall,
  data: unknown,
  deps: ExecuteDeps,
): ToolResult | Promise<ToolResult> => {
  const result = checked(call, data, deps);
  if (!call.ready.tool.undo || !result.success) return result;
  const { undoData } = call.notes;
  // A call that only reads has nothing to undo.
  if (undoData === null || call.grant.tier === 'read_only') return result;
  const past = undoData === undefined ? result : { ...result, kept: undoData };
  const kept = deps.undoLog.keep(call.executionId, { input: call.input, result: past });
  return kept.then(() => result);
};

/** One run, from the first line of the tool to its result. */
class Run {
  readonly #call: AdmittedCall;
  readonly #deps: ExecuteDeps;
  readonly #stopWatching: (() => void) | undefined;
  readonly #effectBefore: boolean;

  constructor(call: AdmittedCall, deps: ExecuteDeps) {
    this.#call = call;
    this.#deps = deps;
    this.#effectBefore = call.notes.effectPossible;
    call.notes.effectPossible ||= call.grant.tier !== 'read_only';
    recordInput(call, deps.redactor);
    this.#stopWatching = watchIdle(call, deps);
  }

  start(): Promise<ToolResult> {
    const call = this.#call;
    let work: unknown;
    try {
      work = call.ready.tool.run(call.input, this.#deps.contexts.of(call));
    } catch (error) {
      return Promise.resolve(this.#threw(error));
    }
    if (!isThenable(work)) return Promise.resolve(this.#returned(work));
    return this.#waitFor(work);
  }

  /** A tool that ignores its signal cannot hold the call: the abort settles it first. */
  #waitFor(work: PromiseLike<unknown>): Promise<ToolResult> {
    return new Promise((resolve, reject) => {
      this.#call.control.onAbort(() => resolve(this.#aborted()));
      work.then(
        (data) => {
          try {
            resolve(this.#returned(data));
          } catch (error) {
            reject(error);
          }
        },
        (error: unknown) => resolve(this.#threw(error)),
      );
    });
  }

  #aborted(): ToolResult {
    this.#stopWatching?.();
    return failed(this.#call, this.#call.control.reason ?? 'CANCELLED');
  }

  #returned(data: unknown): ToolResult | Promise<ToolResult> {
    this.#stopWatching?.();
    return succeededWith(this.#call, data, this.#deps);
  }

  #threw(error: unknown): ToolResult {
    // A tool that noticed the abort itself usually throws some error of its own.
    if (this.#call.control.reason) return this.#aborted();
    this.#stopWatching?.();
    const failure = errorOf(error, this.#call, this.#deps);
    if (hasNotBegun(failure)) this.#call.notes.effectPossible = this.#effectBefore;
    return failedWith(this.#call, failure);
  }
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' &&
  value !== null &&
  'then' in value &&
  typeof value.then === 'function';

const run = (call: AdmittedCall, deps: ExecuteDeps): Promise<ToolResult> =>
  new Run(call, deps).start();

/** Everything that has to be in place before the first line of the tool runs. */
const prepare = async (call: AdmittedCall, deps: ExecuteDeps): Promise<ToolResult | undefined> => {
  const initializing = call.ready.initialize();
  if (initializing) {
    try {
      await initializing;
    } catch (error) {
      return failedWith(call, errorOf(error, call, deps));
    }
  }
  if (call.grant.tier !== 'read_only' && !call.notes.intentRecorded) {
    const at = deps.runtime.now();
    await deps.audit.append(auditEntry('intent', call, { redactor: deps.redactor, at }));
    call.notes.intentRecorded = true;
  }
  return call.control.reason ? failed(call, call.control.reason) : undefined;
};

/** Nothing to initialize, nothing to put on record first: the way of most read-only calls. */
const isPrepared = (call: AdmittedCall): boolean =>
  call.grant.tier === 'read_only' && !call.ready.tool.initialize && !call.control.aborted;

const prepareAndRun = async (call: AdmittedCall, deps: ExecuteDeps): Promise<ToolResult> =>
  (await prepare(call, deps)) ?? run(call, deps);

export const execute = (deps: ExecuteDeps): FinalStage =>
  function execute(call) {
    if (call.options.dryRun) return Promise.resolve(succeeded(call, report(call)));
    const { sandbox, sandboxed } = call.ready.tool;
    if (sandbox && !sandboxed) {
      const refusal = failed(call, 'SANDBOX_ERROR', {
        message: `The tool asks for a ${sandbox.type} sandbox, but its code is part of this process.`,
        suggestions: ['Make it a custom tool: a file in .toolcrib/tools runs in a sandbox.'],
      });
      return Promise.resolve(refusal);
    }
    return isPrepared(call) ? run(call, deps) : prepareAndRun(call, deps);
  };
