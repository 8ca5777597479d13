/**
 * The only step that runs foreign code, so it asks for the proof of every gate. Where there can be
 * a side effect, the intent is on disk before the tool starts.
 */

import type { AuditLog } from '../../contract/audit.ts';
import type { AdmittedCall, CallControl } from '../../contract/call.ts';
import type { DryRunReport } from '../../contract/crib.ts';
import type { ToolError } from '../../contract/errors.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { FinalStage } from '../../contract/stage.ts';
import type { Tool } from '../../contract/tool.ts';
import { type ErrorDeps, toolThrew } from '../as-tool-error.ts';
import { auditEntry } from '../audit-entry.ts';
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

const ABORTED = Symbol('aborted');

/** The work's value, or ABORTED as soon as the call is: a tool that ignores its signal cannot hold it. */
const orAborted = (work: Promise<unknown>, control: CallControl): Promise<unknown> =>
  new Promise((resolve, reject) => {
    control.onAbort(() => resolve(ABORTED));
    work.then(resolve, reject);
  });

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

const run = async (call: AdmittedCall, deps: ExecuteDeps): Promise<ToolResult> => {
  const { control, notes } = call;
  const { tool } = call.ready;
  const effectBefore = notes.effectPossible;
  notes.effectPossible ||= call.grant.tier !== 'read_only';
  const stopWatching = watchIdle(call, deps);
  try {
    const work = tool.run(call.input, deps.contexts.of(call));
    const data = work instanceof Promise ? await orAborted(work, control) : work;
    if (data === ABORTED) return failed(call, control.reason ?? 'CANCELLED');
    const result = checked(call, data, deps);
    if (tool.undo && result.success) {
      await deps.undoLog.keep(call.executionId, { input: call.input, result });
    }
    return result;
  } catch (error) {
    // A tool that noticed the abort itself usually throws some error of its own.
    if (control.reason) return failed(call, control.reason);
    const failure = errorOf(error, call, deps);
    if (hasNotBegun(failure)) notes.effectPossible = effectBefore;
    return failedWith(call, failure);
  } finally {
    stopWatching?.();
  }
};

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
    const { sandbox } = call.ready.tool;
    if (sandbox) {
      const refusal = failed(call, 'SANDBOX_ERROR', {
        message: `No ${sandbox.type} sandbox is installed in this crib.`,
        suggestions: ['Run `toolcrib doctor` to see which sandboxes this machine can give.'],
      });
      return Promise.resolve(refusal);
    }
    return isPrepared(call) ? run(call, deps) : prepareAndRun(call, deps);
  };
