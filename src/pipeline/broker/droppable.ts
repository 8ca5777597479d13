/**
 * Lets a tool ignore promises of the broker. A request that it does not await may be refused because the call is
 * over, and that unhandled rejection must not end the process.
 */
import { ignoreRejection } from '../record/read-thrown.ts';

/** Returns the same promise with its rejection marked as handled. Code that awaits it still sees the rejection. */
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
