/** Names for executions, approvals and handles. */
import { randomFillSync, randomUUID } from 'node:crypto';

/** 2059 and later still fit in nine digits of base 36. */
const TIME_DIGITS = 9;
const COUNT_DIGITS = 4;
/** Of two digits each. */
const RANDOM_PAIRS = 6;
const IDS_A_DRAW = 512;

/**
 * Time-ordered, unique across processes: rows of the same time lie together in an index, and ids
 * sort by age. Their end cannot be guessed: 62 bits of chance, drawn for many ids at once.
 */
export const createExecutionIds = (): ((at: number) => string) => {
  const pairs = Array.from({ length: 36 * 36 }, (_, n) => n.toString(36).padStart(2, '0'));
  /** Four digits; a process that makes more ids in one millisecond gets longer ones. */
  const digits = (n: number): string =>
    n < 36 ** COUNT_DIGITS
      ? (pairs[Math.floor(n / 1296)] as string) + (pairs[n % 1296] as string)
      : n.toString(36);
  const chance = new Uint16Array(RANDOM_PAIRS * IDS_A_DRAW);
  let drawn = chance.length;
  const random = (): string => {
    if (drawn === chance.length) {
      randomFillSync(chance);
      drawn = 0;
    }
    let text = '';
    for (const end = drawn + RANDOM_PAIRS; drawn < end; drawn++) {
      text += pairs[(chance[drawn] as number) % pairs.length] as string;
    }
    return text;
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

/** Cannot be guessed: whoever knows an approval or a handle was told. */
export const unguessableId = (kind: string): string => `${kind}_${randomUUID()}`;
