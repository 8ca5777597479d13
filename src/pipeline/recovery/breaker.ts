/** Stops calls of a tool that keeps failing; after a rest one call may probe whether it works again. */
import type { Breaker } from '../../contract/tool-limits.ts';
import { BoundedMap } from '../../kit/data/bounded-map.ts';

export type CircuitState = 'closed' | 'open' | 'half-open';

type ErrorRate = NonNullable<Breaker['errorRate']>;

const SLICES = 10;
/** The calls an error rate needs before it can open the circuit: one failure of two calls proves nothing. */
const DEFAULT_MIN_CALLS = 10;

interface Slice {
  /** Which slice of time it counts; older ones are counted anew. */
  number: number;
  calls: number;
  failures: number;
}

/** Counts outcomes in a moving window, in slices of time: no list of timestamps is needed. */
class FailureWindow {
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

  /** Tells whether the share of failed calls reached the limit, once there were enough calls to judge. */
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

export class CircuitBreaker {
  #failures = 0;
  #openedAt: number | undefined = undefined;
  #probing = false;
  readonly #rule: Breaker;
  readonly #window: FailureWindow | undefined;

  constructor(rule: Breaker) {
    this.#rule = rule;
    this.#window = rule.errorRate && new FailureWindow(rule.errorRate);
  }

  /**
   * True for a closed circuit without failures, as most are: it needs neither check nor report. One that
   * judges by a rate counts successes, too.
   */
  get untroubled(): boolean {
    return this.#failures === 0 && this.#openedAt === undefined && this.#window === undefined;
  }

  /** Failures since the last success. */
  get failures(): number {
    return this.#failures;
  }

  /** True from the opening of the circuit until a call succeeds, also in the half-open state. */
  get isTripped(): boolean {
    return this.#openedAt !== undefined;
  }

  state(now: number): CircuitState {
    if (this.#openedAt === undefined) return 'closed';
    return now - this.#openedAt >= this.#rule.restMs ? 'half-open' : 'open';
  }

  /** Returns how long the circuit stays open. */
  restMs(now: number): number {
    if (this.#openedAt === undefined) return 0;
    return Math.max(0, this.#openedAt + this.#rule.restMs - now);
  }

  /** Tells whether a call may go through. In the half-open state only one at a time may. */
  admits(now: number): boolean {
    const state = this.state(now);
    if (state === 'closed') return true;
    if (state === 'open' || this.#probing) return false;
    this.#probing = true;
    return true;
  }

  /** Notes a success; true when it closed an open circuit. */
  succeeded(now: number): boolean {
    const closed = this.#openedAt !== undefined;
    if (closed) this.#window?.clear();
    this.#window?.count(false, now);
    this.#failures = 0;
    this.#openedAt = undefined;
    this.#probing = false;
    return closed;
  }

  /** Notes a failure; true when it opened the circuit. */
  failed(now: number): boolean {
    const probing = this.#probing;
    this.#probing = false;
    this.#failures++;
    this.#window?.count(true, now);
    const isTooMuch =
      this.#failures >= this.#rule.failures || (this.#window?.isExceeded(now) ?? false);
    if (!probing && (this.#openedAt !== undefined || !isTooMuch)) return false;
    this.#openedAt = now;
    return true;
  }

  /** Closes the circuit and forgets all failures. */
  reset(): void {
    this.#failures = 0;
    this.#openedAt = undefined;
    this.#probing = false;
    this.#window?.clear();
  }

  /** Frees the probe after a call that says nothing about the tool's health: refused, cancelled. */
  abstained(): void {
    this.#probing = false;
  }
}

/** Above this number the caller that failed longest ago is forgotten. */
const MAX_CALLERS = 1000;

/** Keeps breakers of single callers, for failures that may be the tool's fault or the caller's. */
export class CallerBreakers {
  readonly #rule: Breaker;
  /** Only callers with a failure on record. */
  readonly #byUser = new BoundedMap<string, CircuitBreaker>(MAX_CALLERS);

  constructor(rule: Breaker) {
    this.#rule = rule;
  }

  /** Returns nothing for a caller without a failure, as nearly all are. */
  of(userId: string): CircuitBreaker | undefined {
    return this.#byUser.size === 0 ? undefined : this.#byUser.get(userId);
  }

  succeeded(userId: string, now: number): boolean {
    const breaker = this.of(userId);
    if (!breaker) return false;
    // An error rate counts successes, too. Without one, a success makes the record of the caller unnecessary.
    if (!this.#rule.errorRate) this.#byUser.delete(userId);
    return breaker.succeeded(now);
  }

  /** Notes a failure; true when it opened the circuit for that caller. */
  failed(userId: string, now: number): boolean {
    const breaker = this.#byUser.get(userId) ?? new CircuitBreaker(this.#rule);
    this.#byUser.set(userId, breaker);
    return breaker.failed(now);
  }

  /** Lists the circuits that are not closed. */
  tripped(): readonly CircuitBreaker[] {
    return [...this.#byUser.values()].filter(({ isTripped }) => isTripped);
  }

  clear(): void {
    this.#byUser.clear();
  }
}
