/**
 * Lets a signal of the caller cancel its calls. One listener serves all calls of a signal: a server
 * has one a connection, and adding and removing a listener for each call would cost more than the rest.
 */
import type { CallControl } from '../contract/call.ts';

const following = new WeakMap<AbortSignal, Set<CallControl>>();

const followersOf = (signal: AbortSignal): Set<CallControl> => {
  const known = following.get(signal);
  if (known) return known;
  const controls = new Set<CallControl>();
  following.set(signal, controls);
  const cancel = (): void => {
    for (const control of controls) control.abort('CANCELLED');
  };
  signal.addEventListener('abort', cancel, { once: true });
  return controls;
};

/** The same outcome; the signal is let go of when it is there. */
export const followSignal = <T>(
  signal: AbortSignal,
  control: CallControl,
  outcome: Promise<T>,
): Promise<T> => {
  if (signal.aborted) {
    control.abort('CANCELLED');
    return outcome;
  }
  const controls = followersOf(signal);
  controls.add(control);
  return outcome.then(
    (value) => {
      controls.delete(control);
      return value;
    },
    (error: unknown) => {
      controls.delete(control);
      throw error;
    },
  );
};
