/** How hard the guarantee suites try: a little with every `npm test`, in full with `npm run guarantees`. */

export const isFull = process.env.GUARANTEE_SIZE === 'full';

export const sized = <T>(small: T, full: T): T => (isFull ? full : small);

/** For a whole suite: what takes seconds in small may take half an hour in full. */
export const TIME_LIMIT = sized(120_000, 3_600_000);
