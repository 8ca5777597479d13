/**
 * What one operation of an expression costs beyond its node: a search in a long text or the comparison of
 * two large lists is one node, and can take as long as a million others.
 */

/** Characters that are looked at for one unit. */
const CHARACTERS_A_UNIT = 16;

/** A search compares at most so many characters of what it looks for at each place. */
const MAX_COMPARED = 256;

/** Reading a moment in a time zone asks the database of time zones. */
const TIME_ZONE_UNITS = 500;

/** Compiling a pattern costs this for each of its characters. */
const COMPILE_UNITS = 64;

const SEARCHES: ReadonlySet<string> = new Set(['contains', 'indexOf', 'lastIndexOf', 'split']);

const COUNTED = /\{(\d+)(?:,(\d*))?\}/g;

/** Counts the most repetitions that the counts of a pattern can add up to inside each other. */
export const repetitionsOf = (pattern: string): number => {
  let product = 1;
  for (const [, least = '1', most] of pattern.matchAll(COUNTED)) {
    product *= Math.max(1, Number(least), Number(most ?? 0));
  }
  return product;
};

/** Counts the values inside a value; stops when it has found so many. */
export const countValues = (value: unknown, max: number): number => {
  const stack: unknown[] = [value];
  let count = 0;
  for (; stack.length > 0 && count < max; count += 1) {
    const next = stack.pop();
    if (typeof next === 'string') count += next.length / CHARACTERS_A_UNIT;
    else if (Array.isArray(next)) {
      // Not by spreading: a list may be longer than a call may have arguments.
      for (const each of next) stack.push(each);
    } else if (typeof next === 'object' && next !== null) {
      for (const each of Object.values(next)) stack.push(each);
    }
  }
  return count;
};

/** Weighs what it costs to look at a value, or to make it: all of a text or of bytes, each element of a list. */
export const lookUnits = (operand: unknown): number => {
  if (typeof operand === 'string') return operand.length / CHARACTERS_A_UNIT;
  if (Array.isArray(operand)) return operand.length;
  return operand instanceof Uint8Array ? operand.length / CHARACTERS_A_UNIT : 0;
};

const searchUnits = (text: unknown, sought: unknown): number => {
  if (typeof text !== 'string' || typeof sought !== 'string') return 0;
  return (text.length * Math.min(sought.length, MAX_COMPARED)) / MAX_COMPARED;
};

const patternUnits = (text: unknown, pattern: unknown): number => {
  if (typeof text !== 'string' || typeof pattern !== 'string') return 0;
  return (text.length * pattern.length * repetitionsOf(pattern)) / CHARACTERS_A_UNIT;
};

/** What is known of a call before it is made. */
export interface CalledFunction {
  readonly name: string;
  /** It matches a pattern: one of the text, or one that is computed and has to be compiled each time. */
  readonly pattern?: 'literal' | 'computed';
}

/** Weighs a call of a function by what it is called with. */
export const callUnits = (
  { name, pattern }: CalledFunction,
  operands: readonly unknown[],
): number => {
  const [first, second] = operands;
  // The length of a list is known; that of a text is counted.
  let units = name === 'size' && Array.isArray(first) ? 0 : lookUnits(first);
  for (const operand of operands.slice(1)) units += lookUnits(operand);
  if (SEARCHES.has(name)) units += searchUnits(first, second);
  if (pattern) units += patternUnits(first, second);
  if (pattern === 'computed') units += COMPILE_UNITS * String(second).length;
  if (first instanceof Date && second !== undefined) units += TIME_ZONE_UNITS;
  return units;
};

/** Weighs a comparison. Counts no further than what is left. */
export const comparisonUnits = (left: unknown, right: unknown, max: number): number => {
  const isSimple = typeof left !== 'object' && typeof right !== 'object';
  if (isSimple) return Math.min(lookUnits(left), lookUnits(right));
  return countValues(left, max) + countValues(right, max);
};
