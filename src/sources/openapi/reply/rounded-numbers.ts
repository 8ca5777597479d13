/** Finds numbers of an answer that are rounded when it is parsed, such as ids of 19 digits. */
import { isExactNumber } from '../../../kit/text/exact-number.ts';

const LONG = /\d{16}/;
const NUMBERS = /-?\d[\d.eE+-]*/g;
const BACKSLASH = 92;

const isRounded = (number: string): boolean => !isExactNumber(number, 0, number.length);

/** Gives the place after a string that begins at a quotation mark. */
const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
};

/** Takes a text that is JSON. One expression for its strings would overflow the stack on a long one. */
export const hasRoundedNumber = (text: string): boolean => {
  // Most answers have no long number, and need no closer look.
  if (!LONG.test(text)) return false;
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const between = text.slice(at, quote < 0 ? text.length : quote);
    if (between.match(NUMBERS)?.some(isRounded)) return true;
    at = quote < 0 ? text.length : endOfString(text, quote);
  }
  return false;
};
