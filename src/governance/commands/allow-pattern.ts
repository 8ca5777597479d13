/**
 * Parses and matches the patterns of a command allowlist. Patterns match words, never the text of a
 * command: `npm run test:*` matches one script name, `git log *` any arguments that the rules of
 * git accept, and `mytool **` any arguments at all.
 */
import { ToolFailure } from '../../contract/errors.ts';
import { matchesWildcard } from '../../kit/text/wildcard.ts';
import { ruleOf } from './program-rules/program-rules.ts';
import {
  NEVER,
  plainProgramName,
  READS_PROGRAM,
  RUNS_PROGRAMS,
  SHELL_STATE,
} from './program-rules/refused-programs.ts';
import type { Token } from './token.ts';

export interface AllowPattern {
  readonly words: readonly string[];
  /** `*`: further arguments within the program's rules. `**`: any further arguments. */
  readonly rest: 'none' | 'ruled' | 'any';
  /** No wildcard: the owner wrote exactly this command. */
  readonly isLiteral: boolean;
  /** A wildcard in a position where it could match an option. */
  readonly isLoose: boolean;
}

const PLAIN = /^[\x21-\x7e]+$/;

/** Throws for a pattern that names no program. */
export const parseAllowPattern = (text: string): AllowPattern => {
  const words = text.split(' ').filter((word) => word !== '');
  const last = words.at(-1);
  const rest = last === '*' ? 'ruled' : last === '**' ? 'any' : 'none';
  if (rest !== 'none') words.pop();
  if (words.length === 0 || words[0]?.includes('*') || !words.every((word) => PLAIN.test(word))) {
    throw new ToolFailure('CONFIG_INVALID', 'A pattern of the command allowlist is not valid.', {
      suggestions: [
        `Start "${text}" with the whole name of a program and put single blanks between words, such as "npx vitest run".`,
      ],
    });
  }
  const starred = words.filter((word) => word.includes('*'));
  return {
    words,
    rest,
    isLiteral: rest === 'none' && starred.length === 0,
    isLoose: starred.some((word) => /^[-*]/.test(word)),
  };
};

const slashes = (text: string): number => text.split('/').length;

/** Matches one word. `*` matches characters of one path segment and never the dash of an option. */
const fits = (pattern: string, text: string): boolean => {
  const pieces = pattern.split('*');
  const isPattern = pieces.length > 1;
  if (isPattern && (slashes(pattern) !== slashes(text) || /(?:^|\/)\.\.(?:\/|$)/.test(text)))
    return false;
  if (pieces[0] === '' && text.startsWith('-')) return false;
  return matchesWildcard(pieces, text);
};

/** Matches word by word. A word whose value is unknown never matches a word of a pattern. */
export const matchesPattern = ({ words, rest }: AllowPattern, argv: readonly Token[]): boolean =>
  (rest === 'none' ? argv.length === words.length : argv.length >= words.length) &&
  words.every((word, index) => {
    const token = argv[index] as Token;
    return token.kind === 'static' && fits(word, token.text);
  });

const EXACTLY =
  'write the exact command, such as "npm run build", or set up a task: commands.tasks';

/** Explains why no command can match a pattern and what to write; `undefined` when one can. */
export const neverWorks = (text: string): string | undefined => {
  const { words, rest, isLoose, isLiteral } = parseAllowPattern(text);
  const name = plainProgramName(words[0] as string);
  if (NEVER.has(name)) return 'it would run as another user; take it off the list';
  if (SHELL_STATE.has(name)) return 'it runs text or changes the shell; take it off the list';
  if (isLiteral || ruleOf(name) !== undefined) return undefined;
  const runsOthers = RUNS_PROGRAMS.has(name) || READS_PROGRAM.has(name);
  if (runsOthers && (rest !== 'none' || isLoose)) {
    return `${name} can run other programs, so no wildcard stands for its arguments; ${EXACTLY}`;
  }
  if (rest !== 'ruled') return undefined;
  return `nothing is known about the arguments of ${name}; ${EXACTLY}, or end the pattern with **`;
};
