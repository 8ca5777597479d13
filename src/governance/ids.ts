/** Names for executions, approvals and handles. */
import { randomBytes, randomUUID } from 'node:crypto';

/** 2059 and later still fit in nine digits of base 36. */
const TIME_DIGITS = 9;
const COUNT_DIGITS = 4;
const MAX_COUNT = 36 ** COUNT_DIGITS;
const RANDOM_DIGITS = 16;
const BYTES_A_DRAW = 2048;

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz';

const padded = (n: number, digits: number): string => n.toString(36).padStart(digits, '0');

/** Returns 64 random bits in hexadecimal. Draws those of many ids at once. */
const createRandomDigits = (): (() => string) => {
  let drawn = '';
  let used = 0;
  return () => {
    if (used === drawn.length) {
      drawn = randomBytes(BYTES_A_DRAW).toString('hex');
      used = 0;
    }
    used += RANDOM_DIGITS;
    return drawn.slice(used - RANDOM_DIGITS, used);
  };
};

/**
 * Makes ids that are ordered by time and unique across processes: rows of the same time are
 * neighbours in an index. Their end cannot be guessed: 64 random bits. What 36 ids share is made once,
 * and the rest is joined: half the time of writing digits into a buffer (0.12 µs), and every call has one.
 */
export const createExecutionIds = (): ((at: number) => string) => {
  const randomDigits = createRandomDigits();
  let lastMs = 0;
  let count = 0;
  let shared = '';
  return (ms) => {
    // A clock that went back, and more ids in a millisecond than fit, go on in order.
    if (ms > lastMs || count === MAX_COUNT) {
      lastMs = ms > lastMs ? ms : lastMs + 1;
      count = 0;
    }
    const digit = count % 36;
    if (digit === 0) {
      shared = `x${padded(lastMs, TIME_DIGITS)}${padded(count / 36, COUNT_DIGITS - 1)}`;
    }
    count += 1;
    return shared + DIGITS.charAt(digit) + randomDigits();
  };
};

/** Makes an id that cannot be guessed, for approvals and handles. */
export const unguessableId = (kind: string): string => `${kind}_${randomUUID()}`;
