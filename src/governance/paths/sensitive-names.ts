/**
 * Which file names nobody may read because they hold secrets, and which may be read but not written
 * because programs run or trust them. The names are in `name-tables.ts` and
 * `files-programs-obey.ts`.
 */

import { PROGRAM_FILES } from './files-programs-obey.ts';
import {
  CREDENTIAL_FILES,
  ENVIRONMENT_FILES,
  HARMLESS_WORDS,
  MODEL_ENDINGS,
  type NameEntry,
  NEVER_WRITTEN,
  SECRET_DATA_FOLDERS,
  SECRET_FILES,
  SECRET_FOLDERS,
  SECRET_WORDS,
  SOURCE_ENDINGS,
  WORDED_ENDINGS,
  WORDED_FOLDERS,
} from './name-tables.ts';

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

/** `*` only, without a regular expression: no pattern of a user can make it slow. */
const fits = (pieces: readonly string[], name: string): boolean => {
  const head = pieces[0] as string;
  if (pieces.length === 1) return name === head;
  if (!name.startsWith(head)) return false;
  const tail = pieces[pieces.length - 1] as string;
  let at = head.length;
  for (let index = 1; index < pieces.length - 1; index += 1) {
    const found = name.indexOf(pieces[index] as string, at);
    if (found < 0) return false;
    at = found + (pieces[index] as string).length;
  }
  return name.length - tail.length >= at && name.endsWith(tail);
};

/** Whether the segments follow each other in the names, ending at `start` or later. */
const runsIn = ({ segments }: NamePattern, names: readonly string[], start: number): boolean => {
  const { length } = segments;
  for (let at = Math.max(0, start - length + 1); at + length <= names.length; at += 1) {
    if (segments.every((pieces, index) => fits(pieces, names[at + index] as string))) return true;
  }
  return false;
};

/** The name of the first pattern that is found, or `undefined`. */
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
const NEVER = patternsOf(NEVER_WRITTEN);
const ORDERS = patternsOf(PROGRAM_FILES);

/**
 * The name a file system may take a segment for: case, width, ignorable characters, trailing dots
 * and blanks, and streams after a colon do not count on one system or another.
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

/** The rule about a word in the name of the file itself. */
const wordRule = (inside: readonly string[]): string | undefined => {
  const last = inside.slice(-1);
  const rule = matchingName(WORDS, last);
  if (rule === undefined || endsIn(last[0] as string, WORDED_ENDINGS)) return undefined;
  const isAbout = matchingName(HARMLESS, last) ?? matchingName(ABOUT, inside.slice(0, -1));
  return isAbout === undefined ? rule : undefined;
};

/** The rule about the folder of a file, which is about data and not about source. */
const dataRule = (inside: readonly string[]): string | undefined => {
  const folders = inside.slice(0, -1);
  return matchingName(ABOUT, folders) === undefined
    ? matchingName(DATA_FOLDERS, folders)
    : undefined;
};

/** The rule that makes a path secret, or `undefined`. */
export const sensitiveRule = ({ above, below, isFolder }: NamedPath): string | undefined => {
  const inside = foldedAll(below);
  const outside = foldedAll(above);
  const names = [...outside, ...inside];
  const last = inside.at(-1) ?? '';
  const start = outside.length;
  return (
    matchingName(FOLDERS, names) ??
    matchingName(FILES, names, start) ??
    (endsIn(last, MODEL_ENDINGS) ? undefined : matchingName(ENVIRONMENTS, names, start)) ??
    (isFolder || endsIn(last, SOURCE_ENDINGS)
      ? undefined
      : (matchingName(CREDENTIALS, names, start) ?? wordRule(inside) ?? dataRule(inside)))
  );
};

/** The rule that keeps a path, given by its segments below a root, from being written. */
export const protectedRule = (
  below: readonly string[],
  more: readonly string[] = [],
): string | undefined => {
  const names = foldedAll(below);
  const own = more.map((name) => namePattern(name.toLowerCase()));
  return matchingName(NEVER, names) ?? matchingName(ORDERS, names) ?? matchingName(own, names);
};

/** The same for git, which may bring in what a commit holds for editors, agents and services. */
export const protectedFromGit = (below: readonly string[]): string | undefined =>
  matchingName(NEVER, foldedAll(below));
