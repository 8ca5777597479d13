/** Questions to the person behind a call, while its tool waits. */
import type { CallRequest } from '../../contract/call.ts';
import type { Elicit } from '../../contract/elicitation.ts';
import type { Runtime, Timer } from '../../contract/runtime.ts';

const TOUCH_MS = 5_000;

/** The one that came with the call, or with the call that made it. */
export const elicitOf = (call: CallRequest): Elicit | undefined => {
  for (let at: CallRequest | undefined = call; at; at = at.parent) {
    if (at.options.elicit) return at.options.elicit;
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
