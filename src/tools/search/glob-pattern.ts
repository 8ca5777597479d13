/**
 * File name patterns as ripgrep and gitignore read them: without a slash a pattern fits at any
 * depth, with one it starts at the folder searched. Matching takes linear time.
 */
import { ToolFailure } from '../../contract/errors.ts';
import { compileLinear, quotePattern } from '../../kit/text/linear-pattern.ts';

const invalid = (problem: string) =>
  new ToolFailure('VALIDATION_ERROR', `A file pattern cannot be used: ${problem}.`, {
    suggestions: ['Use *, **, ?, [abc] and {a,b}; to leave files out use exclude.'],
  });

/**
 * The one spelling both engines get: any depth is spelled with two stars, a pattern that starts at
 * the folder with a slash, and a folder as everything in it. Throws for a pattern without meaning.
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

/** `[!a-z]` from its opening bracket on; returns the class and where it ends. */
const readClass = (glob: string, start: number): { source: string; end: number } => {
  const negated = glob[start + 1] === '!' || glob[start + 1] === '^';
  const first = start + (negated ? 2 : 1);
  const end = glob.indexOf(']', first + 1);
  if (end < 0) throw invalid('a "[" is not closed');
  const body = glob.slice(first, end).replace(/[\\[\]^]/g, '\\$&');
  // A class never reaches over a folder border.
  return { source: negated ? `[^/${body}]` : `[${body}]`, end };
};

/** Two stars: any number of folders where they fill a whole segment, one star otherwise. */
const readStars = (glob: string, start: number): { source: string; end: number } => {
  let end = start;
  while (glob[end + 1] === '*') end += 1;
  const before = start === 0 || glob[start - 1] === '/';
  if (end === start || !before) return { source: '[^/]*', end };
  if (end + 1 === glob.length) return { source: '.+', end };
  return glob[end + 1] === '/' ? { source: '(?:.*/)?', end: end + 1 } : { source: '[^/]*', end };
};

const OTHERS: Readonly<Record<string, string>> = { '?': '[^/]', '{': '(?:', '}': ')' };

/** The regular expression of a canonical pattern. */
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

/** Tests paths relative to the folder searched, with forward slashes. */
export const compileGlob = async (
  canonical: string,
  ignoreCase = false,
): Promise<(path: string) => boolean> => {
  const pattern = await compileLinear(sourceOf(canonical), { ignoreCase });
  return (path) => pattern.test(path);
};
