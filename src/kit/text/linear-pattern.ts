/** Regular expressions of callers, run by an engine whose time grows with the text and nothing else. */
import type { RE2JS } from 're2js';
import { ToolFailure } from '../../contract/errors.ts';

export interface LinearPattern {
  test(text: string): boolean;
  /** Finds where the first match starts and ends, or `undefined`. */
  find(text: string): { readonly start: number; readonly end: number } | undefined;
  /** Replaces every match; `$1` and `$<name>` stand for groups. */
  replaceAll(text: string, replacement: string): { readonly text: string; readonly count: number };
}

const MAX_LENGTH = 10_000;

const badPattern = (detail: string) =>
  new ToolFailure('VALIDATION_ERROR', `The regular expression cannot be used: ${detail}.`, {
    suggestions: ['Use RE2 syntax: no backreferences and no lookaround.'],
  });

const replaceAll = (compiled: RE2JS, text: string, replacement: string) => {
  let count = 0;
  const matcher = compiled.matcher(text);
  while (matcher.find()) count += 1;
  return { text: compiled.matcher(text).replaceAll(replacement), count };
};

/** Writes a text as a pattern that matches that text alone. */
export const quotePattern = (text: string): string => text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');

/** Compiles a pattern. Throws VALIDATION_ERROR for one that the engine does not take. */
export const compileLinear = async (
  pattern: string,
  options: { readonly ignoreCase?: boolean; readonly multiline?: boolean } = {},
): Promise<LinearPattern> => {
  if (pattern.length > MAX_LENGTH) throw badPattern(`it has more than ${MAX_LENGTH} characters`);
  const { RE2JS, RE2JSException } = await import('re2js');
  const flags =
    (options.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) | (options.multiline ? RE2JS.MULTILINE : 0);
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(RE2JS.translateRegExp(pattern), flags);
  } catch (error) {
    if (error instanceof RE2JSException) throw badPattern('its syntax is not supported');
    throw error;
  }
  return {
    test: (text) => compiled.test(text),
    find: (text) => {
      // Saying that there is no match is several times faster than looking for its place.
      if (!compiled.test(text)) return undefined;
      const matcher = compiled.matcher(text);
      return matcher.find() ? { start: matcher.start(), end: matcher.end() } : undefined;
    },
    replaceAll: (text, replacement) => replaceAll(compiled, text, replacement),
  };
};
