/** Reads the number of an option; anything else is bad usage. */
import { ToolFailure } from '../contract/errors.ts';

export const wholeNumber =
  (option: string, least: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
    throw new ToolFailure('VALIDATION_ERROR', `${option} takes a whole number from ${least} up.`);
  };
