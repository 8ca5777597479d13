/**
 * Compiles the patterns of foreign JSON Schemas with a linear-time engine, so that none can hang the
 * process by backtracking. What that engine cannot express (look-around, back-references) is refused.
 */
import { RE2JS } from 're2js';
import { ToolFailure } from '../../contract/errors.ts';
import { ecmaClasses } from './ecma-classes.ts';

/** What the JSON Schema validator asks of a regular expression. */
export interface Pattern {
  test(text: string): boolean;
  toString(): string;
}

const MAX_PATTERN = 4_096;
/** Steps of the compiled patterns of one schema together: some hundred milliseconds of compiling. */
const MAX_PROGRAM = 20_000;
/** Valid both here and there, with another meaning: RE2's own escapes and POSIX classes. */
const MEANS_SOMETHING_ELSE = /\\[AaCEQz]|\[:/;

/**
 * The compiler for the patterns of one schema. It throws CONFIG_INVALID for a pattern that cannot be
 * run with the meaning it has in JSON Schema, and when the patterns are too large together.
 */
export const linearPatterns = (): ((source: string) => Pattern) => {
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
  compiles(source, 'u') || (compiles(source, '') && !MEANS_SOMETHING_ELSE.test(source));

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
