/** Counts durations of calls in buckets. Adding one takes a logarithm and an addition. */
import { BUCKETS, bucketOf, middleOf } from '../kit/metrics/duration-buckets.ts';

export class DurationHistogram {
  readonly #buckets = new Float64Array(BUCKETS);
  #count = 0;
  #totalMs = 0;
  #maxMs = 0;

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
    if (ms > this.#maxMs) this.#maxMs = ms;
  }

  /** Returns the duration that this share of the calls, 0 to 1, did not exceed; 0 when there were none. */
  quantile(share: number): number {
    const rank = share * this.#count;
    let seen = 0;
    for (const [bucket, calls] of this.#buckets.entries()) {
      seen += calls;
      if (calls > 0 && seen >= rank) return Math.min(middleOf(bucket), this.#maxMs);
    }
    return this.#maxMs;
  }

  /** Counts the calls that took at most this long, to the precision of a bucket. */
  atMost(ms: number): number {
    let seen = 0;
    for (let bucket = bucketOf(ms); bucket >= 0; bucket--) seen += this.#buckets[bucket] ?? 0;
    return seen;
  }
}
