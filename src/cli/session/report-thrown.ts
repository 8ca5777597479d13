/** Turns whatever a command ended with into words and an exit code, the same wherever it was typed. */
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

/** What was named on the command line does not exist: bad input, as for a tool that does not exist. */
export const NOT_THERE = 2;

/** Where one can read on, as it is typed here. */
export interface Advice {
  readonly help: string;
  readonly doctor: string;
}

const MAX_TYPOS = 2;

/** Commander also proposes words that have little to do with the one that was typed. */
const isCloseHint = (message: string, hint: string): boolean => {
  const typed = /'([^']*)'/.exec(message)?.[1];
  const proposed = /^Did you mean (?:one of )?(.*)\?$/.exec(hint)?.[1]?.split(', ');
  if (typed === undefined || proposed === undefined) return true;
  return proposed.some(
    (word) =>
      distance(typed, word) <= MAX_TYPOS || word.startsWith(typed) || typed.startsWith(word),
  );
};

/** Commander's own errors, e.g. `error: unknown command 'rnu'\n(Did you mean run?)`. */
const usageError = ({ message }: CommanderError, { help }: Advice): ToolError => {
  const [first = '', ...rest] = message.replace(/^error: /, '').split('\n');
  const hints = rest
    .map((line) => line.replace(/^\((.*)\)$/, '$1'))
    .filter((line) => line !== '' && isCloseHint(first, line));
  return toolError('VALIDATION_ERROR', first, { suggestions: [...hints, `See: ${help}`] });
};

/** Told by its code: the class is in a file that most runs need not load. */
const isConfigError = (error: unknown): error is ConfigError =>
  error instanceof Error && 'problems' in error && (error as ConfigError).code === 'CONFIG_INVALID';

const configIssue = ({ file, line, column, path, message }: ConfigProblem): Issue => ({
  path: path === '' ? [] : [path],
  message: `${message} (${file}${line === undefined ? '' : `:${line}:${column ?? 1}`})`,
});

/** The error a thrown thing stands for. A bug keeps its message: the reader is the person who ran it. */
const errorOf = (thrown: unknown, advice: Advice): ToolError => {
  if (thrown instanceof CommanderError) return usageError(thrown, advice);
  if (thrown instanceof ToolFailure) return toolError(thrown.code, thrown.message, thrown.extras);
  if (isConfigError(thrown)) {
    return toolError('CONFIG_INVALID', undefined, {
      issues: thrown.problems.map(configIssue),
      suggestions: [`Correct what is named, then check it: ${advice.doctor}`],
    });
  }
  return toolError('INTERNAL', reasonOf(thrown));
};

/** Says what went wrong; the answer is the exit code. Help that was asked for is no error. */
export const reportThrown = (io: Io, thrown: unknown, advice: Advice): number => {
  if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0;
  const error = errorOf(thrown, advice);
  if (io.json) printJson(io, { success: false, status: 'failure', error });
  else note(io, ...errorLines(error, io.noteInk));
  return error.code === 'NOT_FOUND' ? NOT_THERE : ERRORS[error.code].exit;
};
