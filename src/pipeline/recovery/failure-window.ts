/** Counts how calls ended in a moving window, in slices, so that a call costs no list of moments. */
import type { Breaker } from '../../contract/tool-limits.ts';

type ErrorRate = NonNullable<Breaker['errorRate']>;

const SLICES = 10;
/** Two calls of which one failed say nothing about a tool. */
const DEFAULT_MIN_CALLS = 10;

interface Slice {
  /** Which slice of time it counts; older ones are counted anew. */
  number: number;
  calls: number;
  failures: number;
}

export class FailureWindow {
  readonly #rule: ErrorRate;
  readonly #sliceMs: number;
  #slices: Slice[] = [];

  constructor(rule: ErrorRate) {
    this.#rule = rule;
    this.#sliceMs = Math.max(1, rule.windowMs / SLICES);
  }

  count(hasFailed: boolean, now: number): void {
    const slice = this.#sliceAt(Math.floor(now / this.#sliceMs));
    slice.calls += 1;
    if (hasFailed) slice.failures += 1;
  }

  /** Says whether more calls of the window failed than may, and enough were made to tell. */
  isExceeded(now: number): boolean {
    const { max, minCalls = DEFAULT_MIN_CALLS } = this.#rule;
    const newest = Math.floor(now / this.#sliceMs);
    let calls = 0;
    let failures = 0;
    for (const slice of this.#slices) {
      if (slice.number <= newest - SLICES || slice.number > newest) continue;
      calls += slice.calls;
      failures += slice.failures;
    }
    return calls >= minCalls && failures / calls >= max;
  }

  clear(): void {
    this.#slices = [];
  }

  #sliceAt(number: number): Slice {
    const slice = this.#slices.find((each) => each.number === number);
    if (slice) return slice;
    const fresh = { number, calls: 0, failures: 0 };
    this.#slices = this.#slices.filter((each) => each.number > number - SLICES);
    this.#slices.push(fresh);
    return fresh;
  }
}
