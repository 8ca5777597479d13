/** Questions to the person, or the client, behind a call, while its tool waits. */
import type { CallRequest } from '../../contract/call.ts';
import type { CallOptions } from '../../contract/call-options.ts';
import type { Runtime, Timer } from '../../contract/runtime.ts';

const TOUCH_MS = 5_000;

/** Returns the way to ask that came with the call, or with the call that made it. */
export const askerOf = <K extends 'elicit' | 'elicitUrl' | 'sample'>(
  call: CallRequest,
  kind: K,
): CallOptions[K] | undefined => {
  for (let at: CallRequest | undefined = call; at; at = at.parent) {
    if (at.options[kind]) return at.options[kind];
  }
  return undefined;
};

/** Calls `touch` from time to time, so that a call that waits for a person is not taken for idle. */
export const keepTouching = (
  runtime: Pick<Runtime, 'after'>,
  touch: () => void,
): { stop(): void } => {
  let timer: Timer | undefined;
  const again = (): void => {
    timer = runtime.after(TOUCH_MS, () => {
      touch();
      again();
    });
    timer.keepAlive(false);
  };
  again();
  return { stop: () => timer?.cancel() };
};
