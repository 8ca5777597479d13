/** Converts values to JSON text and back, so that every driver returns the same. */
import { ToolFailure } from '../contract/errors.ts';

const refuse = (): never => {
  throw new ToolFailure('EXECUTION_FAILED', 'The value is not plain JSON and cannot be kept.', {
    suggestions: ['Keep only strings, numbers, booleans, null, arrays and plain objects.'],
  });
};

/** Writes a value as JSON; `undefined` for one that JSON has no text for. Throws for what JSON cannot hold. */
export const toJsonText = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value);
  } catch {
    return refuse();
  }
};

/** Writes a record as JSON. Throws for what JSON cannot hold or has no text for. */
export const recordText = (record: object): string => toJsonText(record) ?? refuse();

/**
 * Throws when a change returns a promise: it would be stored as `{}`, and what it does later would
 * happen outside the transaction.
 */
export const assertSynchronous = (value: unknown): void => {
  if (value instanceof Promise) {
    value.catch(() => undefined);
    throw new ToolFailure('EXECUTION_FAILED', 'A change to memory must be synchronous.', {
      suggestions: ['Do the waiting before the update, and only compute inside it.'],
    });
  }
};

/** Copies a record as a database would return it. */
export const jsonCopy = <T extends object>(record: T): T => JSON.parse(recordText(record));
