/**
 * Decides which files a search reads. File name patterns have the meaning of ripgrep and gitignore:
 * without a slash a pattern matches at any depth, with one it starts at the searched folder. Matching
 * takes linear time.
 */
import { ToolFailure } from '../../contract/errors.ts';
import { compileLinear, quotePattern } from '../../kit/text/linear-pattern.ts';

const invalid = (problem: string) =>
  new ToolFailure('VALIDATION_ERROR', `A file pattern cannot be used: ${problem}.`, {
    suggestions: ['Use *, **, ?, [abc] and {a,b}; to leave files out use exclude.'],
  });

/**
 * Writes a pattern in the one form for both engines: two stars for any depth, a leading slash for a
 * pattern that starts at the folder, and a folder as everything in it. Throws for an invalid pattern.
 */
export const canonicalGlob = (pattern: string): string => {
  const text = pattern.trim();
  if (text === '' || text === '/') throw invalid('it is empty');
  if (text.startsWith('!')) throw invalid('it starts with "!"');
  const folder = text.endsWith('/');
  const bare = text.replace(/^\.?\/+/, '').replace(/\/+$/, '');
  const anchored = /^\.?\//.test(text) || bare.includes('/');
  return `${anchored ? '/' : '**/'}${bare}${folder ? '/**' : ''}`;
};

/** Reads a class such as `[!a-z]`, beginning at its bracket. */
const readClass = (glob: string, start: number): { source: string; end: number } => {
  const negated = glob[start + 1] === '!' || glob[start + 1] === '^';
  const first = start + (negated ? 2 : 1);
  const end = glob.indexOf(']', first + 1);
  if (end < 0) throw invalid('a "[" is not closed');
  const body = glob.slice(first, end).replace(/[\\[\]^]/g, '\\$&');
  // A class never matches a slash.
  return { source: negated ? `[^/${body}]` : `[${body}]`, end };
};

/** Reads stars: two that fill a whole segment are any number of folders; otherwise they count as one. */
const readStars = (glob: string, start: number): { source: string; end: number } => {
  let end = start;
  while (glob[end + 1] === '*') end += 1;
  const before = start === 0 || glob[start - 1] === '/';
  if (end === start || !before) return { source: '[^/]*', end };
  if (end + 1 === glob.length) return { source: '.+', end };
  return glob[end + 1] === '/' ? { source: '(?:.*/)?', end: end + 1 } : { source: '[^/]*', end };
};

const OTHERS: Readonly<Record<string, string>> = { '?': '[^/]', '{': '(?:', '}': ')' };

/** Translates a canonical pattern to a regular expression. */
const sourceOf = (glob: string): string => {
  let source = '';
  let depth = 0;
  for (let at = glob.startsWith('/') ? 1 : 0; at < glob.length; at += 1) {
    const char = glob[at] as string;
    if (char === '*' || char === '[') {
      const part = (char === '*' ? readStars : readClass)(glob, at);
      source += part.source;
      at = part.end;
      continue;
    }
    if (char === '\\') at += 1;
    if (char === '{') depth += 1;
    if (char === '}') depth -= 1;
    if (depth < 0) throw invalid('a "}" was not opened');
    if (char === '\\') source += quotePattern(glob[at] ?? '\\');
    else if (char === ',' && depth > 0) source += '|';
    else source += OTHERS[char] ?? quotePattern(char);
  }
  if (depth > 0) throw invalid('a "{" is not closed');
  return `^(?:${source})$`;
};

/** Compiles a test of paths relative to the searched folder, with forward slashes. */
export const compileGlob = async (
  canonical: string,
  ignoreCase = false,
): Promise<(path: string) => boolean> => {
  const pattern = await compileLinear(sourceOf(canonical), { ignoreCase });
  return (path) => pattern.test(path);
};

/** Folders that are skipped unless the search starts inside them. */
const ALWAYS_SKIPPED: readonly string[] = ['**/node_modules', '**/.git'];

export interface FilterRequest {
  /** Groups of patterns: a file must match one of each group; an empty group matches everything. */
  readonly include: readonly (readonly string[])[];
  readonly exclude: readonly string[];
  readonly ignoreCase: boolean;
}

/** Selects paths, which are relative to the searched folder. */
export interface FileFilter {
  wantsFolder(path: string): boolean;
  /** Tells whether a file is wanted; checks the folders above it, too. */
  wantsFile(path: string): boolean;
  /** The patterns for ripgrep, which narrow the search beforehand. */
  readonly globs: readonly string[];
}

type Test = (path: string) => boolean;

const anyOf =
  (tests: readonly Test[]): Test =>
  (path) =>
    tests.some((test) => test(path));

/** Lists the prefixes of a path: `a/b/c` → `a`, `a/b`, `a/b/c`. */
const prefixesOf = (path: string): readonly string[] =>
  path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));

/** Selects patterns that ripgrep reads in the same way: it matches bytes, so the filter checks the others. */
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
  const included = await Promise.all(groups.map(compile));
  const isExcluded = await compile(excluded);
  return {
    wantsFolder: (path) => !isExcluded(path),
    wantsFile: (path) => included.every((test) => test(path)) && !prefixesOf(path).some(isExcluded),
    // In ripgrep later patterns win, and it has one group of included ones; the filter checks the rest.
    globs: [...groups.slice(0, 1).flatMap(narrowing), ...excluded.map((glob) => `!${glob}`)],
  };
};
