/** Breakers of single callers, for failures of which nobody can tell whether tool or caller is at fault. */
import type { Breaker } from '../../contract/tool.ts';
import { BoundedMap } from '../../kit/data/bounded-map.ts';
import { CircuitBreaker } from './breaker.ts';

/** Beyond these the one that failed longest ago is forgotten. */
const MAX_CALLERS = 1000;

export class CallerBreakers {
  readonly #rule: Breaker;
  /** Only callers with a failure on record. */
  readonly #byUser = new BoundedMap<string, CircuitBreaker>(MAX_CALLERS);

  constructor(rule: Breaker) {
    this.#rule = rule;
  }

  /** Undefined for a caller without a failure, which is nearly every one. */
  of(userId: string): CircuitBreaker | undefined {
    return this.#byUser.size === 0 ? undefined : this.#byUser.get(userId);
  }

  succeeded(userId: string): boolean {
    const breaker = this.of(userId);
    if (!breaker) return false;
    this.#byUser.delete(userId);
    return breaker.succeeded();
  }

  /** True when this failure opened the circuit for that caller. */
  failed(userId: string, now: number): boolean {
    const breaker = this.#byUser.get(userId) ?? new CircuitBreaker(this.#rule);
    this.#byUser.set(userId, breaker);
    return breaker.failed(now);
  }

  clear(): void {
    this.#byUser.clear();
  }
}
