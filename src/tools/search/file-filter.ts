/** Which files a search looks at: those the patterns want, without what is never worth a look. */
import { canonicalGlob, compileGlob } from './glob-pattern.ts';

/** Folders that are skipped unless the search starts inside of them. */
const ALWAYS_SKIPPED: readonly string[] = ['**/node_modules', '**/.git'];

export interface FilterRequest {
  /** Groups of patterns: a file must fit one of each group; an empty group fits everything. */
  readonly include: readonly (readonly string[])[];
  readonly exclude: readonly string[];
  readonly ignoreCase: boolean;
}

/** Paths are relative to the folder searched. */
export interface FileFilter {
  wantsFolder(path: string): boolean;
  /** Also looks at the folders above the file. */
  wantsFile(path: string): boolean;
  /** What ripgrep can do of it beforehand. */
  readonly globs: readonly string[];
}

type Test = (path: string) => boolean;

const anyOf =
  (tests: readonly Test[]): Test =>
  (path) =>
    tests.some((test) => test(path));

/** `a/b/c` → `a`, `a/b`, `a/b/c`. */
const prefixesOf = (path: string): readonly string[] =>
  path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));

/** Ripgrep matches names by bytes: what could differ for other letters is left to the filter. */
const narrowing = (group: readonly string[]): readonly string[] =>
  group.every((glob) => /^[ -~]+$/.test(glob) && !/[?[\\]/.test(glob)) ? group : [];

export const createFileFilter = async (request: FilterRequest): Promise<FileFilter> => {
  const { ignoreCase } = request;
  const compile = async (globs: readonly string[]) =>
    anyOf(await Promise.all(globs.map((glob) => compileGlob(glob, ignoreCase))));
  const groups = request.include
    .filter((group) => group.length > 0)
    .map((group) => group.map(canonicalGlob));
  const excluded = [...ALWAYS_SKIPPED, ...request.exclude.map(canonicalGlob)];
  const wanted = await Promise.all(groups.map(compile));
  const isExcluded = await compile(excluded);
  return {
    wantsFolder: (path) => !isExcluded(path),
    wantsFile: (path) => wanted.every((test) => test(path)) && !prefixesOf(path).some(isExcluded),
    // Later patterns win in ripgrep; it knows one group of wanted ones, the filter checks the rest.
    globs: [...groups.slice(0, 1).flatMap(narrowing), ...excluded.map((glob) => `!${glob}`)],
  };
};
