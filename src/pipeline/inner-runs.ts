/**
 * Follows the calls that a tool makes until they are over, so that none of them outlives the call that made
 * it. Otherwise a recorded outcome could become false, and a freed key could lead to a second effect.
 */
import type { CallRequest } from '../contract/call.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Tool } from '../contract/tool.ts';
import { within } from '../kit/data/bounded-work.ts';
import { evidenceOf } from './pipeline.ts';
import type { ToolSettings } from './tool-settings.ts';

/** Notes a call as under way for the one that made it. */
export const followInner = (
  { notes }: CallRequest,
  { control }: CallRequest,
  done: Promise<unknown>,
): void => {
  const run = { control, done };
  const running = notes.innerRunning ?? new Set();
  notes.innerRunning = running.add(run);
  const over = (): void => void running.delete(run);
  void done.then(over, over);
};

/** Tells whether a call that this one made is still under way. */
export const hasInner = ({ notes }: CallRequest): boolean => (notes.innerRunning?.size ?? 0) > 0;

/**
 * Resolves when no call that this one made is under way, or when this one is aborted. After a failure they
 * are cancelled; a tool that succeeded may have left some behind on purpose, and they are awaited.
 */
export const endInner = async (call: CallRequest, isFailed: boolean): Promise<void> => {
  const { notes, control } = call;
  const aborted = new Promise<void>((resolve) => control.onAbort(resolve));
  while (hasInner(call) && !control.aborted) {
    const running = [...(notes.innerRunning ?? [])];
    if (isFailed) for (const inner of running) inner.control.abort('CANCELLED');
    await Promise.race([Promise.allSettled(running.map(({ done }) => done)), aborted]);
  }
  // An intent recorded after the outcome would stay open and look like a crash.
  if (notes.innerIntents) await Promise.allSettled(notes.innerIntents);
};

export interface EndLateDeps {
  readonly runtime: Pick<Runtime, 'after'>;
  settingsOf(tool: Tool): ToolSettings;
}

/**
 * Ends the calls that were made after the tool had returned, by its effects or by what it left behind. The
 * deadline of the call is gone by then, and one of them may wait for a person: it is cancelled after the time
 * that the tool may take.
 */
export const endLateInner = async (
  call: CallRequest,
  isFailed: boolean,
  { runtime, settingsOf }: EndLateDeps,
): Promise<void> => {
  const tool = evidenceOf(call).ready?.tool;
  if (isFailed || !tool) return endInner(call, true);
  try {
    await within(runtime, settingsOf(tool).timeoutMs, () => endInner(call, false));
  } catch {
    await endInner(call, true);
  }
};
