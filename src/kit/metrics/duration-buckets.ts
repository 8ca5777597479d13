/**
 * Buckets of durations that grow by a 32nd of a doubling, as exponential histograms of OpenTelemetry do
 * at scale 5. The middle of a bucket is off by at most 1.1 % from any duration in it, and two
 * histograms add up bucket by bucket.
 */

const PER_DOUBLING = 32;
/** From 1 µs to about 70 minutes; shorter and longer ones land in the first and the last. */
const DOUBLINGS = 32;
const MIN_MS = 0.001;

export const BUCKETS = PER_DOUBLING * DOUBLINGS;

export const bucketOf = (ms: number): number => {
  if (!(ms > MIN_MS)) return 0;
  const bucket = Math.ceil(Math.log2(ms / MIN_MS) * PER_DOUBLING);
  return bucket < BUCKETS ? bucket : BUCKETS - 1;
};

/** Gives the duration halfway, on the scale of the buckets, between the edges of one. */
export const middleOf = (bucket: number): number =>
  MIN_MS * 2 ** (Math.max(0, bucket - 0.5) / PER_DOUBLING);

/**
 * Gives the duration that this share of the calls, 0 to 1, did not exceed. Takes buckets and their
 * calls in turn, ascending; 0 for none.
 */
export const quantileOf = (pairs: readonly number[], share: number): number => {
  let calls = 0;
  for (let at = 1; at < pairs.length; at += 2) calls += pairs[at] ?? 0;
  const rank = Math.max(share * calls, 1);
  let seen = 0;
  for (let at = 0; at < pairs.length; at += 2) {
    seen += pairs[at + 1] ?? 0;
    if (seen >= rank) return middleOf(pairs[at] ?? 0);
  }
  return 0;
};

/** Adds up the calls of every doubling of the duration; takes buckets and their calls in turn. */
export const callsByDoubling = (pairs: readonly number[]): ReadonlyMap<number, number> => {
  const sums = new Map<number, number>();
  for (let at = 0; at < pairs.length; at += 2) {
    const doubling = Math.max(0, Math.floor(((pairs[at] ?? 0) - 1) / PER_DOUBLING));
    sums.set(doubling, (sums.get(doubling) ?? 0) + (pairs[at + 1] ?? 0));
  }
  return sums;
};

/**
 * Gives the durations of a doubling: longer than one limit, at most the other. The outermost are
 * open.
 */
export const limitsOf = (
  doubling: number,
): { readonly overMs?: number; readonly upToMs?: number } => ({
  // Divided, not multiplied by a thousandth: this is the number that the trail has for so many µs.
  ...(doubling > 0 && { overMs: 2 ** doubling / 1000 }),
  ...(doubling < DOUBLINGS - 1 && { upToMs: 2 ** (doubling + 1) / 1000 }),
});

/** Adds up two histograms, each given as buckets and their calls in turn, ascending. */
export const addBuckets = (one: readonly number[], other: readonly number[]): readonly number[] => {
  const sum: number[] = [];
  let left = 0;
  let right = 0;
  while (left < one.length || right < other.length) {
    const a = one[left] ?? BUCKETS;
    const b = other[right] ?? BUCKETS;
    const calls = (a <= b ? (one[left + 1] ?? 0) : 0) + (b <= a ? (other[right + 1] ?? 0) : 0);
    sum.push(Math.min(a, b), calls);
    if (a <= b) left += 2;
    if (b <= a) right += 2;
  }
  return sum;
};
