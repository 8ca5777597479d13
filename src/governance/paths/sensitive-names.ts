/**
 * Which file names nobody may read because they hold secrets, and which may be read but not written
 * because programs run or trust them. The names are in `name-tables.ts` and
 * `files-programs-obey.ts`.
 */

import { NEVER_WRITTEN, PROGRAM_FILES } from './files-programs-obey.ts';
import { matchingName, namePattern, patternsOf } from './name-pattern.ts';
import {
  CREDENTIAL_FILES,
  ENVIRONMENT_FILES,
  HARMLESS_WORDS,
  MODEL_ENDINGS,
  SECRET_DATA_FOLDERS,
  SECRET_FILES,
  SECRET_FOLDERS,
  SECRET_WORDS,
  SOURCE_ENDINGS,
  WORDED_ENDINGS,
  WORDED_FOLDERS,
} from './name-tables.ts';

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
