/**
 * Cancels calls when their caller's signal aborts. One listener serves all calls of a signal: a server
 * has one signal per connection, and a listener for each call would cost more than the call.
 */
import type { CallControl } from '../../contract/call.ts';

export class SignalFollowers {
  readonly #bySignal = new WeakMap<AbortSignal, Set<CallControl>>();

  /** Returns the same outcome; stops following the signal when it is there. */
  follow<T>(signal: AbortSignal, control: CallControl, outcome: Promise<T>): Promise<T> {
    if (signal.aborted) {
      control.abort('CANCELLED');
      return outcome;
    }
    const controls = this.#of(signal);
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
  }

  #of(signal: AbortSignal): Set<CallControl> {
    const existing = this.#bySignal.get(signal);
    if (existing) return existing;
    const controls = new Set<CallControl>();
    this.#bySignal.set(signal, controls);
    const cancel = (): void => {
      for (const control of controls) control.abort('CANCELLED');
    };
    signal.addEventListener('abort', cancel, { once: true });
    return controls;
  }
}
