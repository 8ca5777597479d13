/** Checks of options and arguments. */
import { ToolFailure } from '../../contract/errors.ts';

/** Reads the number of an option. Fails with VALIDATION_ERROR. */
export const wholeNumber =
  (option: string, min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    const upTo = max === Number.MAX_SAFE_INTEGER ? 'up' : `to ${max}`;
    throw new ToolFailure(
      'VALIDATION_ERROR',
      `${option} takes a whole number from ${min} ${upTo}.`,
    );
  };

export const MAX_PORT = 65_535;

/** Makes the failure for options or arguments that are wrong or contradict each other. */
export const misuse = (message: string, ...suggestions: readonly string[]): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', message, { suggestions });
