/** The error that a command of the shell ended with, as all others are told. */
import { CommanderError } from 'commander';
import type { ConfigError } from '../../config/config-error.ts';
import { ERRORS, type ToolError, ToolFailure, toolError } from '../../contract/errors.ts';
import { errorLines } from '../error-lines.ts';
import { type Io, note, printJson } from '../io.ts';

const isConfigError = (error: unknown): error is ConfigError =>
  error instanceof Error && 'problems' in error && (error as ConfigError).code === 'CONFIG_INVALID';

const usageError = ({ message }: CommanderError): ToolError => {
  const [first = '', ...rest] = message.replace(/^error: /, '').split('\n');
  const hints = rest.map((line) => line.replace(/^\((.*)\)$/, '$1')).filter((line) => line !== '');
  return toolError('VALIDATION_ERROR', first, { suggestions: [...hints, 'See: /help'] });
};

const errorOf = (thrown: unknown): ToolError => {
  if (thrown instanceof CommanderError) return usageError(thrown);
  if (thrown instanceof ToolFailure) return toolError(thrown.code, thrown.message, thrown.extras);
  if (isConfigError(thrown)) {
    return toolError('CONFIG_INVALID', thrown.message, {
      suggestions: ['Correct what is named, then check it: /doctor'],
    });
  }
  return toolError('INTERNAL', thrown instanceof Error ? thrown.message : String(thrown));
};

/** Says what went wrong; the answer is the exit code. */
export const reportThrown = (io: Io, thrown: unknown): number => {
  if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0;
  const error = errorOf(thrown);
  if (io.json) printJson(io, { success: false, status: 'failure', error });
  else note(io, ...errorLines(error, io.noteInk));
  return ERRORS[error.code].exit;
};
