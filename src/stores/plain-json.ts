/** Values on their way into a store and back: plain JSON, so that every driver gives back the same. */
import { ToolFailure } from '../contract/errors.ts';

/** Throws for what JSON cannot hold; `undefined` for a value that JSON has no text for. */
export const toJsonText = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value);
  } catch {
    throw new ToolFailure('EXECUTION_FAILED', 'The value is not plain JSON and cannot be kept.', {
      suggestions: ['Keep only strings, numbers, booleans, null, arrays and plain objects.'],
    });
  }
};

/**
 * Throws when a change answers with a promise: it would be kept as `{}`, and what it does later
 * would happen outside the transaction.
 */
export const assertSynchronous = (value: unknown): void => {
  if (value instanceof Promise) {
    value.catch(() => undefined);
    throw new ToolFailure('EXECUTION_FAILED', 'A change to memory must be synchronous.', {
      suggestions: ['Do the waiting before the update, and only compute inside it.'],
    });
  }
};

/** A copy as a database would give it back. */
export const jsonCopy = <T extends object>(value: T): T => JSON.parse(toJsonText(value) ?? 'null');
