/** Tries a failed call until it succeeds, until trying again is unsafe or useless, or time is up. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Call, CallControl, Next } from '../../contract/call.ts';
import type { ToolError } from '../../contract/errors.ts';
import type { FailedResult, ToolResult } from '../../contract/result.ts';
import type { Backoff } from '../../contract/retry.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Tool } from '../../contract/tool.ts';
import { failed } from '../outcome.ts';
import type { ToolSettings } from '../tool-settings.ts';
import { mayRetry } from './may-retry.ts';

export interface AttemptDeps {
  readonly runtime: Runtime;
  settingsOf(tool: Tool): ToolSettings;
}

/** How many tries without a pause are made before the event loop gets a turn. */
const MAX_TRIES_A_TURN = 10;

/** Returns how long to wait before the next try. `attempt` counts the tries that failed, from 1. */
export const backoffDelay = (backoff: Backoff, attempt: number, random: () => number): number => {
  switch (backoff.type) {
    case 'none':
      return 0;
    case 'fixed':
      return backoff.delay;
    case 'linear':
      return backoff.baseDelay + backoff.increment * (attempt - 1);
    case 'exponential':
      return Math.min(backoff.baseDelay * backoff.multiplier ** (attempt - 1), backoff.maxDelay);
    case 'jittered': {
      const base = backoffDelay(backoff.base, attempt, random);
      return Math.max(0, base + (random() * 2 - 1) * base * backoff.jitter);
    }
  }
};

/** Waits for a while, or until the call is aborted. */
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

/** Decides whether another try is due, and waits for its time. */
const waitForTry = async (
  call: Call<'ready'>,
  error: ToolError,
  { runtime, settingsOf }: AttemptDeps,
): Promise<boolean> => {
  const { control, notes } = call;
  const { tool } = call.ready;
  const { retry } = settingsOf(tool);
  if (!mayRetry(retry, error, { tool, notes, attempt: notes.attempts })) return false;
  const backoffMs = backoffDelay(retry.backoff, notes.attempts, runtime.random);
  const delay = Math.max(backoffMs, error.retryAfterMs ?? 0);
  if (delay > 0) await pause(delay, control, runtime);
  // Tries without a pause would keep timers, and with them the deadline, from ever coming.
  else if (notes.attempts % MAX_TRIES_A_TURN === 0) await nextTurn();
  return true;
};

/** Repeats a call after a first failure, until it succeeds or another try is of no use. */
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
    if (!(await waitForTry(call, result.error, from.deps))) {
      return notes.attempts > 1 ? exhausted(call, result) : result;
    }
    if (control.aborted) return failed(call, control.reason ?? 'CANCELLED');
    notes.attempts++;
    result = await next(call);
  }
};
