/** Values on their way into a store and back: plain JSON, so that every driver gives back the same. */
import { ToolFailure } from '../contract/errors.ts';

const refuse = (): never => {
  throw new ToolFailure('EXECUTION_FAILED', 'The value is not plain JSON and cannot be kept.', {
    suggestions: ['Keep only strings, numbers, booleans, null, arrays and plain objects.'],
  });
};

/** Throws for what JSON cannot hold; `undefined` for a value that JSON has no text for. */
export const toJsonText = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value);
  } catch {
    return refuse();
  }
};

/** Throws for what JSON cannot hold or has no text for. */
export const recordText = (record: object): string => toJsonText(record) ?? refuse();

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
export const jsonCopy = <T extends object>(record: T): T => JSON.parse(recordText(record));
