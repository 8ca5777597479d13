/** Writes what jobs hold as JSON. */
import { ToolFailure } from '../contract/errors.ts';

/** Writes a value as JSON. Throws VALIDATION_ERROR for what JSON has no text for. */
export const jobText = (value: unknown): string => {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    // Circular, or a number that JSON lacks: the same answer as for a function.
  }
  if (text !== undefined) return text;
  throw new ToolFailure('VALIDATION_ERROR', 'The value is not plain JSON and cannot be kept.', {
    suggestions: ['Keep only strings, numbers, booleans, null, arrays and plain objects.'],
  });
};
