/** Tries a failed call until it succeeds, until trying again is unsafe or useless, or time is up. */
import type { Call, CallControl, Next } from '../../contract/call.ts';
import type { ToolError } from '../../contract/errors.ts';
import type { FailedResult, ToolResult } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Tool } from '../../contract/tool.ts';
import { failed } from '../outcome.ts';
import type { ToolSettings } from '../tool-settings.ts';
import { backoffDelay } from './backoff.ts';
import { mayRetry } from './may-retry.ts';

export interface AttemptDeps {
  readonly runtime: Runtime;
  settingsOf(tool: Tool): ToolSettings;
}

/** Ends early when the call is aborted. */
const pause = (ms: number, control: CallControl, runtime: Runtime): Promise<void> =>
  new Promise((resolve) => {
    const timer = runtime.after(ms, resolve);
    control.onAbort(() => {
      timer.cancel();
      resolve();
    });
  });

const exhausted = (
  call: Call<'ready'>,
  { status, error: { code, message, suggestions } }: FailedResult,
): ToolResult => {
  const { attempts } = call.notes;
  return {
    ...failed(call, 'MAX_RETRIES_EXCEEDED', {
      message: `Failed ${attempts} times, last with ${code}: ${message}`,
      suggestions,
      cause: code,
    }),
    status,
  };
};

/** True when another try is due, after the wait that goes before it. */
const worthAnother = async (
  call: Call<'ready'>,
  error: ToolError,
  { runtime, settingsOf }: AttemptDeps,
): Promise<boolean> => {
  const { control, notes } = call;
  const { tool } = call.ready;
  const { retry } = settingsOf(tool);
  if (!mayRetry(retry, error, { tool, notes, attempt: notes.attempts })) return false;
  const wanted = backoffDelay(retry.backoff, notes.attempts, runtime.random);
  const delay = Math.max(wanted, error.retryAfterMs ?? 0);
  if (delay > 0) await pause(delay, control, runtime);
  return true;
};

/** Goes on after a first failure, until success or until there is no point in it. */
export const tryAgain = async <C extends Call<'ready'>>(
  call: C,
  next: Next<C>,
  from: { readonly result: ToolResult; readonly deps: AttemptDeps },
): Promise<ToolResult> => {
  const { control, notes } = call;
  let { result } = from;
  for (;;) {
    // One that waits for a person did not fail.
    if (result.success || result.status === 'pending' || control.aborted) return result;
    if (!(await worthAnother(call, result.error, from.deps))) {
      return notes.attempts > 1 ? exhausted(call, result) : result;
    }
    if (control.aborted) return failed(call, control.reason ?? 'CANCELLED');
    notes.attempts++;
    result = await next(call);
  }
};
