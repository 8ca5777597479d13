/** Stops calling what keeps failing; after a rest one call may probe whether it is well again. */
import type { Breaker } from '../../contract/tool.ts';

export type CircuitState = 'closed' | 'open' | 'half-open';

export class CircuitBreaker {
  #failures = 0;
  #openedAt: number | undefined = undefined;
  #probing = false;
  readonly #rule: Breaker;

  constructor(rule: Breaker) {
    this.#rule = rule;
  }

  /** Healthy and no failure on record: nothing to ask, nothing to tell. */
  get untroubled(): boolean {
    return this.#failures === 0 && this.#openedAt === undefined;
  }

  state(now: number): CircuitState {
    if (this.#openedAt === undefined) return 'closed';
    return now - this.#openedAt >= this.#rule.restMs ? 'half-open' : 'open';
  }

  /** How long the circuit still rests. */
  restMs(now: number): number {
    if (this.#openedAt === undefined) return 0;
    return Math.max(0, this.#openedAt + this.#rule.restMs - now);
  }

  /** Whether a call may go through. In the half-open state only one at a time may. */
  admits(now: number): boolean {
    const state = this.state(now);
    if (state === 'closed') return true;
    if (state === 'open' || this.#probing) return false;
    this.#probing = true;
    return true;
  }

  /** True when this success closed an open circuit. */
  succeeded(): boolean {
    const closed = this.#openedAt !== undefined;
    this.#failures = 0;
    this.#openedAt = undefined;
    this.#probing = false;
    return closed;
  }

  /** True when this failure opened the circuit. */
  failed(now: number): boolean {
    const probing = this.#probing;
    this.#probing = false;
    this.#failures++;
    if (!probing && (this.#openedAt !== undefined || this.#failures < this.#rule.failures)) {
      return false;
    }
    this.#openedAt = now;
    return true;
  }

  /** The call said nothing about the tool's health (refused, cancelled): frees the probe. */
  abstained(): void {
    this.#probing = false;
  }
}
