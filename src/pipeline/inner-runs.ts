/**
 * Follows the calls that a tool makes until they are over, so that none of them outlives the call that made
 * it. Otherwise a recorded outcome could become false, and a freed key could lead to a second effect.
 */
import type { CallRequest } from '../contract/call.ts';

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
