/**
 * Takes active content out of the strings of an input, for tools that render HTML and ask for it. What
 * has no markup stays as it is; what is too long to be cleaned in bounded time is refused.
 */
import {
  describeKinds,
  isActiveUrl,
  loadScriptFinder,
  type ScriptFinder,
} from './script-content.ts';
import { pointerOf, type Trail } from './violation.ts';

/** One string, and all of them together. */
const MAX_LENGTH = 256 * 1024;
const MAX_ALL_LENGTH = 1024 * 1024;
/** The sanitizer takes time by the square of open elements. */
const MAX_ELEMENTS = 10_000;
const MAX_MARKUP_DEPTH = 64;
const MARKUP = /<[a-z/!?]/i;

export interface Stripped {
  readonly value: unknown;
  /** One sentence for each field that was altered: what was taken out of it. */
  readonly taken: readonly string[];
}

/** `fault` says why nothing was cleaned. */
export type Stripper = (input: unknown) => Stripped | { readonly fault: string };

const TOO_MUCH = `There is too much markup to be cleaned: ${MAX_LENGTH} characters in a field and ${MAX_ELEMENTS} elements are the most.`;

interface Work {
  readonly find: ScriptFinder;
  readonly taken: string[];
  clean(text: string): string;
  total: number;
  elements: number;
  tooMuch: boolean;
}

const stripText = (text: string, trail: Trail, work: Work): string => {
  const active = isActiveUrl(text);
  if (!active && !MARKUP.test(text)) return text;
  work.total += text.length;
  work.elements += text.split('<').length - 1;
  const tooLong = text.length > MAX_LENGTH || work.total > MAX_ALL_LENGTH;
  work.tooMuch ||= tooLong || work.elements > MAX_ELEMENTS;
  if (work.tooMuch) return text;
  const clean = active ? '' : work.clean(text);
  if (clean !== text) {
    const what = describeKinds(work.find(text)) || 'markup that is not plain text formatting';
    work.taken.push(`Taken out of ${pointerOf(trail) || 'the input'}: ${what}.`);
  }
  return clean;
};

/**
 * Strips a value: returns a copy where something was altered, the same object where nothing was.
 */
const stripValue = (value: unknown, trail: Trail, work: Work): unknown => {
  if (typeof value === 'string') return stripText(value, trail, work);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const clean = entries.map(([key, item]) => stripValue(item, [...trail, key], work));
  if (clean.every((item, index) => item === entries[index]?.[1])) return value;
  if (Array.isArray(value)) return clean;
  return Object.fromEntries(entries.map(([key], index) => [key, clean[index]]));
};

/** Loads the sanitizer. */
export const loadStripper = async (): Promise<Stripper> => {
  const { default: sanitize } = await import('sanitize-html');
  const find = await loadScriptFinder();
  const options = { nestingLimit: MAX_MARKUP_DEPTH, disallowedTagsMode: 'discard' } as const;
  const clean = (text: string): string => sanitize(text, options);
  return (input) => {
    const work: Work = { clean, find, taken: [], total: 0, elements: 0, tooMuch: false };
    const value = stripValue(input, [], work);
    return work.tooMuch ? { fault: TOO_MUCH } : { value, taken: work.taken };
  };
};
