/**
 * Reads a `.dockerignore` as Docker does: each line is a pattern from the context's root, `!` includes
 * again, the last matching line decides, and a pattern for a folder covers everything in it. Matching
 * takes linear time.
 */
import { ToolFailure } from '../../contract/errors.ts';
import { withoutByteOrderMark } from '../../kit/text/byte-order-mark.ts';
import { compileLinear, type LinearPattern, quotePattern } from '../../kit/text/linear-pattern.ts';

export interface DockerIgnore {
  leavesOut(path: string): boolean;
  /** True when a line with `!` may include something in a folder that is left out. */
  readonly takesBack: boolean;
}

const MAX_LINES = 1_000;

const unusable = () =>
  new ToolFailure('VALIDATION_ERROR', 'The .dockerignore cannot be used.', {
    suggestions: ['Correct its patterns: *, **, ?, [abc] and ! are known, one pattern a line.'],
  });

const tidy = (pattern: string): string =>
  pattern
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .reduce<string[]>((parts, part) => {
      if (part === '..') return parts.slice(0, -1);
      parts.push(part);
      return parts;
    }, [])
    .join('/');

/** Reads two stars: any number of folders before a slash, anything at the end. */
const readStars = (glob: string, at: number): { source: string; next: number } => {
  if (glob[at + 1] !== '*') return { source: '[^/]*', next: at + 1 };
  return glob[at + 2] === '/'
    ? { source: '(?:.*/)?', next: at + 3 }
    : { source: '.*', next: at + 2 };
};

const readClass = (glob: string, at: number): { source: string; next: number } => {
  const end = glob.indexOf(']', at + 2);
  if (end < 0) throw unusable();
  const isNegated = glob[at + 1] === '^';
  const body = glob.slice(at + (isNegated ? 2 : 1), end).replace(/[\\[\]^]/g, '\\$&');
  return { source: `[${isNegated ? '^' : ''}${body}]`, next: end + 1 };
};

const readOne = (glob: string, at: number): { source: string; next: number } => {
  const char = glob[at] as string;
  if (char === '*') return readStars(glob, at);
  if (char === '[') return readClass(glob, at);
  if (char === '?') return { source: '[^/]', next: at + 1 };
  if (char !== '\\') return { source: quotePattern(char), next: at + 1 };
  const escaped = glob[at + 1];
  if (escaped === undefined) throw unusable();
  return { source: quotePattern(escaped), next: at + 2 };
};

const sourceOf = (glob: string): string => {
  let source = '';
  for (let at = 0; at < glob.length; ) {
    const part = readOne(glob, at);
    source += part.source;
    at = part.next;
  }
  // A pattern also covers everything below a folder that it matches.
  return `^(?:${source})(?:/.*)?$`;
};

interface Rule {
  readonly takesBack: boolean;
  readonly pattern: LinearPattern;
}

/** Compiles the patterns. Fails with VALIDATION_ERROR for a line that is not a pattern. */
export const dockerIgnore = async (text: string): Promise<DockerIgnore> => {
  const lines = withoutByteOrderMark(text).split(/\r?\n/);
  if (lines.length > MAX_LINES) throw unusable();
  const rules: Rule[] = [];
  for (const line of lines) {
    if (line.startsWith('#') || line.trim() === '') continue;
    const takesBack = line.trim().startsWith('!');
    const glob = tidy(
      line
        .trim()
        .slice(takesBack ? 1 : 0)
        .trim(),
    );
    if (glob === '') continue;
    rules.push({ takesBack, pattern: await compileLinear(sourceOf(glob)) });
  }
  return {
    takesBack: rules.some((rule) => rule.takesBack),
    leavesOut: (path) => {
      const last = rules.findLast(({ pattern }) => pattern.test(path));
      return last !== undefined && !last.takesBack;
    },
  };
};
