/** How hard the guarantee suites try: a little with every `npm test`, in full with `npm run guarantees`. */
import { writeSync } from 'node:fs';

export const isFull = process.env.GUARANTEE_SIZE === 'full';

export const sized = <T>(small: T, full: T): T => (isFull ? full : small);

/** For a whole suite: what takes seconds in small may take half an hour in full. */
export const TIME_LIMIT = sized(120_000, 3_600_000);

/**
 * Prints how far a suite in full size has come, straight to standard error: a run that is ended from outside,
 * or whose worker dies, leaves its last figures behind.
 */
export const sayProgress = (text: string): void => {
  if (isFull) writeSync(2, `${new Date().toISOString()} ${text}\n`);
};
