/** Names for executions, approvals and handles. */
import { randomBytes, randomUUID } from 'node:crypto';

/** 2059 and later still fit in nine digits of base 36. */
const TIME_DIGITS = 9;
const COUNT_DIGITS = 4;
const RANDOM_DIGITS = 16;
const BYTES_A_DRAW = 16_384;

/**
 * Makes ids that are ordered by time and unique across processes: rows of the same time are
 * neighbours in an index. Their end cannot be guessed: 64 random bits, drawn for many ids at once.
 */
export const createExecutionIds = (): ((at: number) => string) => {
  const pairs = Array.from({ length: 36 * 36 }, (_, n) => n.toString(36).padStart(2, '0'));
  /** Formats four digits, or more for a process that makes more ids in one millisecond. */
  const digits = (n: number): string =>
    n < 36 ** COUNT_DIGITS
      ? (pairs[Math.floor(n / 1296)] as string) + (pairs[n % 1296] as string)
      : n.toString(36);
  let drawn = '';
  let used = 0;
  const random = (): string => {
    if (used === drawn.length) {
      drawn = randomBytes(BYTES_A_DRAW).toString('hex');
      used = 0;
    }
    used += RANDOM_DIGITS;
    return drawn.slice(used - RANDOM_DIGITS, used);
  };
  let lastMs = 0;
  let prefix = '';
  let count = 0;
  return (ms) => {
    if (ms > lastMs) {
      lastMs = ms;
      prefix = `x${ms.toString(36).padStart(TIME_DIGITS, '0')}`;
      count = 0;
    }
    const id = prefix + digits(count++) + random();
    // Reading a character makes one flat string of the parts, and one is cheaper to keep than five.
    id.charCodeAt(0);
    return id;
  };
};

/** Makes an id that cannot be guessed, for approvals and handles. */
export const unguessableId = (kind: string): string => `${kind}_${randomUUID()}`;
