/** Patterns of the name tables, taken apart once, and how they are found in a path. */
import type { NameEntry } from './name-tables.ts';

export interface NamePattern {
  readonly name: string;
  /** By segment: the pieces between the stars. */
  readonly segments: readonly (readonly string[])[];
}

export const namePattern = (name: string): NamePattern => ({
  name,
  segments: name.split('/').map((segment) => segment.split('*')),
});

export const patternsOf = (entries: readonly NameEntry[]): readonly NamePattern[] =>
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
export const matchingName = (
  patterns: readonly NamePattern[],
  names: readonly string[],
  start = 0,
): string | undefined => patterns.find((pattern) => runsIn(pattern, names, start))?.name;
