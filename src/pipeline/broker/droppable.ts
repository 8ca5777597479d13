/**
 * Lets a tool drop what the broker promised it: that a request nobody waits for was refused, because the call
 * is over, must not end the process.
 */
import { ignoreRejection } from '../record/read-thrown.ts';

/** Returns the promise, whose rejection counts as handled. Whoever awaits it gets it all the same. */
export const droppable = <T>(promise: T): T => {
  ignoreRejection(promise);
  return promise;
};

type Method = (...args: unknown[]) => unknown;

/** Returns the object with these methods, whose promises can be dropped. */
export const droppableMethods = <T extends object>(
  members: T,
  names: readonly (keyof T & string)[],
): T => {
  const wrapped: Record<string, Method> = {};
  for (const name of names) {
    const method = members[name];
    if (typeof method !== 'function') continue;
    wrapped[name] = (...args) => droppable((method as Method).apply(members, args));
  }
  return { ...members, ...wrapped };
};
