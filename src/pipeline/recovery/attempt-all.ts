/** Tries a call until it succeeds, until trying again would be unsafe or useless, or until time is up. */
import type { Call, CallControl, Next } from '../../contract/call.ts';
import type { ToolError } from '../../contract/errors.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { RetryPolicy } from '../../contract/retry.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { failed } from '../outcome.ts';
import { backoffDelay } from './backoff.ts';
import { mayRetry } from './may-retry.ts';

export interface AttemptDeps {
  readonly runtime: Runtime;
  readonly retry: RetryPolicy;
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
  result: ToolResult,
  { code, message, suggestions }: ToolError,
): ToolResult => {
  const { attempts } = call.notes;
  return {
    ...failed(call, 'MAX_RETRIES_EXCEEDED', {
      message: `Failed ${attempts} times, last with ${code}: ${message}`,
      suggestions,
      cause: code,
    }),
    status: result.status,
  };
};

export const attemptAll = async <C extends Call<'ready'>>(
  call: C,
  next: Next<C>,
  { runtime, retry }: AttemptDeps,
): Promise<ToolResult> => {
  const { control, notes } = call;
  const { tool } = call.ready;
  for (;;) {
    notes.attempts++;
    const result = await next(call);
    const { error } = result;
    if (!error || control.aborted) return result;
    if (!mayRetry(retry, error, { tool, notes, attempt: notes.attempts })) {
      return notes.attempts > 1 ? exhausted(call, result, error) : result;
    }
    const wanted = backoffDelay(retry.backoff, notes.attempts, runtime.random);
    const delay = Math.max(wanted, error.retryAfterMs ?? 0);
    if (delay > 0) await pause(delay, control, runtime);
    if (control.aborted) return failed(call, control.reason ?? 'CANCELLED');
  }
};
