/** Reports what a command threw, with an exit code: the same on the command line and in the shell. */
import { CommanderError } from 'commander';
import { distance } from 'fastest-levenshtein';
import type { ConfigError, ConfigProblem } from '../../config/config-error.ts';
import {
  ERRORS,
  type Issue,
  type ToolError,
  ToolFailure,
  toolError,
} from '../../contract/errors.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { type Io, note, printJson } from '../io.ts';
import { errorLines } from '../output/error-lines.ts';
import { systemFault } from './system-fault.ts';

/** The exit code when something named does not exist: bad input, as for an unknown tool. */
const NOT_FOUND_EXIT = 2;

/** The commands to suggest, as they are typed here. */
export interface Advice {
  readonly help: string;
  readonly doctor: string;
}

const MAX_TYPOS = 2;

/** Tells whether a suggestion of commander is close: some have little in common with the typed word. */
const isCloseHint = (message: string, hint: string): boolean => {
  const typed = /'([^']*)'/.exec(message)?.[1];
  const proposed = /^Did you mean (?:one of )?(.*)\?$/.exec(hint)?.[1]?.split(', ');
  if (typed === undefined || proposed === undefined) return true;
  return proposed.some(
    (word) =>
      distance(typed, word) <= MAX_TYPOS || word.startsWith(typed) || typed.startsWith(word),
  );
};

/** Translates errors of commander, e.g. `error: unknown command 'rnu'\n(Did you mean run?)`. */
const usageError = ({ message }: CommanderError, { help }: Advice): ToolError => {
  const [first = '', ...rest] = message.replace(/^error: /, '').split('\n');
  const hints = rest
    .map((line) => line.replace(/^\((.*)\)$/, '$1'))
    .filter((line) => line !== '' && isCloseHint(first, line));
  return toolError('VALIDATION_ERROR', first, { suggestions: [...hints, `See: ${help}`] });
};

/** Recognizes the error by its code, so that most runs need not load the file of its class. */
const isConfigError = (error: unknown): error is ConfigError =>
  error instanceof Error && 'problems' in error && (error as ConfigError).code === 'CONFIG_INVALID';

const configIssue = ({ file, line, column, path, message }: ConfigProblem): Issue => ({
  path: path === '' ? [] : [path],
  message: `${message} (${file}${line === undefined ? '' : `:${line}:${column ?? 1}`})`,
});

/** Turns a thrown value into an error. A bug keeps its message: the reader is the person who ran it. */
const errorOf = (thrown: unknown, advice: Advice): ToolError => {
  if (thrown instanceof CommanderError) return usageError(thrown, advice);
  if (thrown instanceof ToolFailure) return toolError(thrown.code, thrown.message, thrown.extras);
  if (isConfigError(thrown)) {
    return toolError('CONFIG_INVALID', undefined, {
      issues: thrown.problems.map(configIssue),
      suggestions: [`Correct these settings, then check them: ${advice.doctor}`],
    });
  }
  return systemFault(thrown) ?? toolError('INTERNAL', reasonOf(thrown));
};

/** Prints the error; returns the exit code. Requested help is not an error. */
export const reportThrown = (io: Io, thrown: unknown, advice: Advice): number => {
  if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0;
  const error = errorOf(thrown, advice);
  const status = error.code === 'USER_CANCELLED' ? 'denied' : 'failure';
  if (io.json) printJson(io, { success: false, status, error });
  else note(io, ...errorLines(error, io.noteInk));
  return error.code === 'NOT_FOUND' ? NOT_FOUND_EXIT : ERRORS[error.code].exit;
};
