/**
 * Decides by name which files nobody may read because they hold secrets, and which may not be
 * written because programs run or trust them. The names are in `name-tables.ts`, `word-tables.ts` and
 * `files-programs-obey.ts`.
 */
import { matchesWildcard } from '../../kit/text/wildcard.ts';
import { NEVER_WRITTEN, PROGRAM_FILES } from './files-programs-obey.ts';
import {
  CREDENTIAL_FILES,
  ENVIRONMENT_FILES,
  MODEL_ENDINGS,
  MODEL_FORMATS,
  type NameEntry,
  SECRET_FILES,
  SECRET_FOLDERS,
  SOURCE_ENDINGS,
} from './name-tables.ts';
import {
  HARMLESS_WORDS,
  PROGRAM_FOLDERS,
  PROGRAM_NAMES,
  SECRET_DATA_FOLDERS,
  SECRET_WORDS,
  WORDED_ENDINGS,
  WORDED_FOLDERS,
} from './word-tables.ts';

interface NamePattern {
  readonly name: string;
  /** By segment: the pieces between the stars. */
  readonly segments: readonly (readonly string[])[];
}

const namePattern = (name: string): NamePattern => ({
  name,
  segments: name.split('/').map((segment) => segment.split('*')),
});

const patternsOf = (entries: readonly NameEntry[]): readonly NamePattern[] =>
  entries.map(([name]) => namePattern(name));

/** Tells whether the segments follow each other in the names, ending at `start` or later. */
const runsIn = ({ segments }: NamePattern, names: readonly string[], start: number): boolean => {
  const { length } = segments;
  for (let at = Math.max(0, start - length + 1); at + length <= names.length; at += 1) {
    if (segments.every((pieces, index) => matchesWildcard(pieces, names[at + index] as string)))
      return true;
  }
  return false;
};

/** Finds the first pattern that matches and gives its name. */
const matchingName = (
  patterns: readonly NamePattern[],
  names: readonly string[],
  start = 0,
): string | undefined => patterns.find((pattern) => runsIn(pattern, names, start))?.name;

const FOLDERS = patternsOf(SECRET_FOLDERS);
const FILES = patternsOf(SECRET_FILES);
const ENVIRONMENTS = patternsOf(ENVIRONMENT_FILES);
const CREDENTIALS = patternsOf(CREDENTIAL_FILES);
const DATA_FOLDERS = patternsOf(SECRET_DATA_FOLDERS);
const WORDS = patternsOf(SECRET_WORDS);
const HARMLESS = patternsOf(HARMLESS_WORDS);
const ABOUT = patternsOf(WORDED_FOLDERS);
const PROGRAMS = patternsOf(PROGRAM_NAMES);
const WITH_PROGRAMS = patternsOf(PROGRAM_FOLDERS);
const NEVER = patternsOf(NEVER_WRITTEN);
const ORDERS = patternsOf(PROGRAM_FILES);

/**
 * Normalizes a segment: case, width, ignorable characters, trailing dots and blanks, and streams
 * after a colon do not count on one file system or another.
 */
const folded = (segment: string): string =>
  segment
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/(?<=.):.*$/s, '')
    .replace(/[. ]+$/, '');

const foldedAll = (segments: readonly string[]): readonly string[] =>
  segments.flatMap((segment) => segment.split(/[\\/]/)).map(folded);

export interface NamedPath {
  /** The segments of the root the path lies below. */
  readonly above: readonly string[];
  readonly below: readonly string[];
  readonly isFolder: boolean;
}

const endsIn = (name: string, endings: readonly string[]): boolean =>
  endings.some((ending) => name.endsWith(ending));

/** Recognises a program about tokens or passwords by its folder. */
const isProgram = (last: readonly string[], folders: readonly string[]): boolean =>
  matchingName(PROGRAMS, last) !== undefined &&
  matchingName(WITH_PROGRAMS, folders.slice(-1)) !== undefined;

/** Finds the rule for a word in the name of the file itself. */
const wordRule = (inside: readonly string[]): string | undefined => {
  const last = inside.slice(-1);
  const rule = matchingName(WORDS, last);
  if (rule === undefined || endsIn(last[0] as string, WORDED_ENDINGS)) return undefined;
  const folders = inside.slice(0, -1);
  const isHarmless = matchingName(HARMLESS, last) ?? matchingName(ABOUT, folders);
  return isHarmless === undefined && !isProgram(last, folders) ? rule : undefined;
};

/** Finds the rule for the folder of a data file. */
const dataRule = (inside: readonly string[]): string | undefined => {
  const folders = inside.slice(0, -1);
  return matchingName(ABOUT, folders) === undefined
    ? matchingName(DATA_FOLDERS, folders)
    : undefined;
};

/** Recognises a branch or tag and its log: people call branches `fix-token`, and nothing else is in them. */
const isReference = (names: readonly string[]): boolean => {
  const at = names.indexOf('.git');
  return at >= 0 && ['refs', 'logs'].includes(names[at + 1] ?? '');
};

/** Finds the rule that makes a path secret. */
export const sensitiveRule = ({ above, below, isFolder }: NamedPath): string | undefined => {
  const inside = foldedAll(below);
  const outside = foldedAll(above);
  const names = [...outside, ...inside];
  if (isReference(names)) return undefined;
  const last = inside.at(-1) ?? '';
  const start = outside.length;
  const isModel = endsIn(last, MODEL_ENDINGS) || endsIn(last, MODEL_FORMATS);
  return (
    matchingName(FOLDERS, names) ??
    matchingName(FILES, names, start) ??
    (isModel ? undefined : matchingName(ENVIRONMENTS, names, start)) ??
    (isFolder || isModel || endsIn(last, SOURCE_ENDINGS)
      ? undefined
      : (matchingName(CREDENTIALS, names, start) ?? wordRule(inside) ?? dataRule(inside)))
  );
};

/** Finds the rule that keeps a path, given by its segments below a root, from being written. */
export const protectedRule = (
  below: readonly string[],
  more: readonly string[] = [],
): string | undefined => {
  const names = foldedAll(below);
  const own = more.map((name) => namePattern(name.toLowerCase()));
  return matchingName(NEVER, names) ?? matchingName(ORDERS, names) ?? matchingName(own, names);
};

/** Finds the same for git, which may write what editors, agents and services act on. */
export const protectedFromGit = (below: readonly string[]): string | undefined =>
  matchingName(NEVER, foldedAll(below));
