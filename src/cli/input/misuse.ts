/** A command that was given wrong. */
import { ToolFailure } from '../../contract/errors.ts';

/** Makes the failure for options or arguments that make no sense. */
export const misuse = (message: string, ...suggestions: readonly string[]): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', message, { suggestions });
