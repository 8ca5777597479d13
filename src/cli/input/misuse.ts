/** A command that was given wrong. */
import { ToolFailure } from '../../contract/errors.ts';

/** Reads the number of an option; anything else is bad usage. */
export const wholeNumber =
  (option: string, least: number, most: number = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    const upTo = most === Number.MAX_SAFE_INTEGER ? 'up' : `to ${most}`;
    throw new ToolFailure(
      'VALIDATION_ERROR',
      `${option} takes a whole number from ${least} ${upTo}.`,
    );
  };

export const MAX_PORT = 65_535;

/** Makes the failure for options or arguments that make no sense. */
export const misuse = (message: string, ...suggestions: readonly string[]): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', message, { suggestions });
