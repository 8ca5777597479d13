/**
 * Tells whether a double keeps what a JSON number says. Whole numbers beyond 2^53, numbers that
 * become infinite and numbers that vanish to zero are not kept; a fraction is rounded by every reader
 * alike, so its surplus digits are no loss.
 */

/** So few characters always fit: 15 digits are exact in a double. */
const MAX_PLAIN_LENGTH = 15;

/** Gives the digits that count: without sign, point, exponent and the zeros at both ends. */
const significantDigits = (text: string): string =>
  text
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+|0+$/g, '');

const DIGITS = /^-?\d+$/;
const EXPONENT = /[eE]/;

/**
 * Tells whether a number survives parsing. `text` from `start` to `end` must be a number as JSON
 * writes it.
 */
export const isExactNumber = (text: string, start: number, end: number): boolean => {
  const given = text.slice(start, end);
  if (given.length <= MAX_PLAIN_LENGTH && !EXPONENT.test(given)) return true;
  const value = Number(given);
  if (!Number.isFinite(value)) return false;
  if (value === 0) return significantDigits(given) === '';
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return true;
  // `1e20` is kept as it is written; a number given by all its digits may have been rounded.
  return !DIGITS.test(given) && significantDigits(given) === significantDigits(String(value));
};
