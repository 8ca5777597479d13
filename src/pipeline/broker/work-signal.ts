/**
 * Ends what the broker runs for a tool (programs, requests, questions) together with the attempt that
 * started it, or with the call: neither the next attempt nor anything after the outcome meets it.
 */
import type { CallRequest } from '../../contract/call.ts';

/** Returns the signal of the attempt that is under way, which is made when first asked for. */
export const workSignal = ({ notes, control }: CallRequest): AbortSignal => {
  if (!notes.work) {
    const work = new AbortController();
    notes.work = work;
    control.onAbort(() => work.abort(control.reason));
  }
  return notes.work.signal;
};

/** Ends what the attempt has left behind. */
export const endWork = ({ notes }: CallRequest): void => {
  const { work } = notes;
  notes.work = undefined;
  work?.abort('CANCELLED');
};
