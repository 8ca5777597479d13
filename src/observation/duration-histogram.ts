/**
 * Counts durations in buckets that grow by an eighth of a doubling: a percentile is off by at most 5 %,
 * whatever the number of calls, and noting one costs a logarithm and an addition.
 */

const PER_DOUBLING = 8;
/** From 1 µs to about 70 minutes; shorter and longer ones land in the first and the last. */
const DOUBLINGS = 32;
const SMALLEST_MS = 0.001;
const BUCKETS = PER_DOUBLING * DOUBLINGS;

const bucketOf = (ms: number): number => {
  if (!(ms > SMALLEST_MS)) return 0;
  const at = Math.ceil(Math.log2(ms / SMALLEST_MS) * PER_DOUBLING);
  return at < BUCKETS ? at : BUCKETS - 1;
};

const upperMs = (bucket: number): number => SMALLEST_MS * 2 ** (bucket / PER_DOUBLING);

export class DurationHistogram {
  readonly #buckets = new Float64Array(BUCKETS);
  #count = 0;
  #totalMs = 0;
  #longestMs = 0;

  get count(): number {
    return this.#count;
  }

  get totalMs(): number {
    return this.#totalMs;
  }

  get averageMs(): number {
    return this.#count === 0 ? 0 : this.#totalMs / this.#count;
  }

  note(ms: number): void {
    const bucket = bucketOf(ms);
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
    this.#count++;
    if (!(ms > 0)) return;
    this.#totalMs += ms;
    if (ms > this.#longestMs) this.#longestMs = ms;
  }

  /** The duration that this share of the calls, 0 to 1, did not exceed; 0 when there were none. */
  quantile(share: number): number {
    const rank = share * this.#count;
    let seen = 0;
    for (const [bucket, calls] of this.#buckets.entries()) {
      seen += calls;
      if (calls > 0 && seen >= rank) return Math.min(this.#middle(bucket), this.#longestMs);
    }
    return this.#longestMs;
  }

  /** How many took at most this long, to the bucket. */
  atMost(ms: number): number {
    let seen = 0;
    for (let bucket = bucketOf(ms); bucket >= 0; bucket--) seen += this.#buckets[bucket] ?? 0;
    return seen;
  }

  /** Halfway, on the scale of the buckets, between the edges of one. */
  #middle(bucket: number): number {
    return upperMs(Math.max(0, bucket - 0.5));
  }
}
