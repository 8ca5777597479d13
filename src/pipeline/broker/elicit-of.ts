/** Finds who can be asked during a call, and keeps the call from idling meanwhile. */
import type { CallRequest } from '../../contract/call.ts';
import type { CallOptions } from '../../contract/call-options.ts';
import type { Runtime, Timer } from '../../contract/runtime.ts';
import { callAndParents } from '../call-and-parents.ts';

const TOUCH_MS = 5_000;

/** Returns the function that asks the client: an option of the call, or of a call that made it. */
export const askerOf = <K extends 'elicit' | 'elicitUrl' | 'sample'>(
  call: CallRequest,
  kind: K,
): CallOptions[K] | undefined => {
  for (const each of callAndParents(call)) {
    if (each.options[kind]) return each.options[kind];
  }
  return undefined;
};

/** Calls `touch` from time to time, so that a call that waits for a person does not time out as idle. */
export const keepTouching = (
  runtime: Pick<Runtime, 'after'>,
  touch: () => void,
): { readonly stop: () => void } => {
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
