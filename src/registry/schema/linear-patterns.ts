/**
 * Compiles the patterns of foreign JSON Schemas with a linear-time engine, so that none can hang the
 * process by backtracking. What that engine cannot express (look-around, back-references) is refused.
 */
import { RE2JS } from 're2js';
import { ToolFailure } from '../../contract/errors.ts';

const SPACE =
  '\\t-\\r \\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}\\x{FEFF}';
const NO_SPACE =
  '\\x{0}-\\x{8}\\x{E}-\\x{1F}!-\\x{9F}\\x{A1}-\\x{167F}\\x{1681}-\\x{1FFF}\\x{200B}-\\x{2027}\\x{202A}-\\x{202E}\\x{2030}-\\x{205E}\\x{2060}-\\x{2FFF}\\x{3001}-\\x{FEFE}\\x{FF00}-\\x{10FFFF}';
const ANYTHING = '\\x{0}-\\x{10FFFF}';
const NO_LINE_END = '[^\\n\\r\\x{2028}\\x{2029}]';

/** An escape, an empty class, a bracket, or a dot. */
const PARTS = /\\[\s\S]|\[\^?\]|[[\].]/g;

/**
 * Rewrites the classes of a JavaScript pattern that have another meaning in RE2: RE2's `\s` is ASCII
 * without the vertical tab, and its `.` matches all but the line feed.
 */
const ecmaClasses = (source: string): string => {
  let isInClass = false;
  return source.replace(PARTS, (part) => {
    if (part === '\\s') return isInClass ? SPACE : `[${SPACE}]`;
    if (part === '\\S') return isInClass ? NO_SPACE : `[${NO_SPACE}]`;
    if (part.startsWith('\\')) return part;
    if (isInClass) return inClass(part);
    if (part === '[]') return `[^${ANYTHING}]`;
    if (part === '[^]') return `[${ANYTHING}]`;
    if (part === '.') return NO_LINE_END;
    isInClass = part === '[';
    return part;
  });

  /** Ends the class at the first bracket that is not escaped; an opening bracket is a literal. */
  function inClass(part: string): string {
    if (part.endsWith(']')) isInClass = false;
    return part.startsWith('[') ? `\\${part}` : part;
  }
};

/** What the JSON Schema validator needs of a regular expression. */
export interface Pattern {
  test(text: string): boolean;
  toString(): string;
}

/** Compiles a pattern. Throws CONFIG_INVALID for one that it cannot run. */
export type PatternCompiler = (source: string) => Pattern;

const MAX_PATTERN = 4_096;
/** Steps of the compiled patterns of one schema together: some hundred milliseconds of compiling. */
const MAX_PROGRAM = 20_000;
/** Valid in both engines with different meanings: escapes and POSIX classes of RE2. */
const AMBIGUOUS = /\\[AaCEQz]|\[:/;

/**
 * Makes the compiler for the patterns of one schema. It throws CONFIG_INVALID for a pattern that cannot
 * run with its meaning in JSON Schema, and when the patterns are too large together.
 */
export const linearPatterns = (): PatternCompiler => {
  let program = 0;
  return (source) => {
    if (source.length > MAX_PATTERN) {
      return refuse(source, `it is longer than ${MAX_PATTERN} characters`);
    }
    if (!isEcmaPattern(source)) return refuse(source, 'it is not a regular expression');
    const compiled = compile(source);
    program += compiled.programSize();
    if (program > MAX_PROGRAM) return refuse(source, 'the patterns of the schema are too large');
    return { test: (text) => compiled.test(text), toString: () => `/${source}/` };
  };
};

const compile = (source: string): RE2JS => {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(ecmaClasses(source)));
  } catch {
    return refuse(source, 'it needs look-around, back-references or more repetition than is safe');
  }
};

const isEcmaPattern = (source: string): boolean =>
  compiles(source, 'u') || (compiles(source, '') && !AMBIGUOUS.test(source));

const compiles = (source: string, flags: string): boolean => {
  try {
    return new RegExp(source, flags) instanceof RegExp;
  } catch {
    return false;
  }
};

const refuse = (source: string, why: string): never => {
  throw new ToolFailure(
    'CONFIG_INVALID',
    `The pattern ${JSON.stringify(source.slice(0, 80))} cannot be run safely: ${why}.`,
    { suggestions: ['Rewrite the pattern without look-around and back-references.'] },
  );
};
