/**
 * Counts calls for which nothing is held. They are gathered and written together, because a write a
 * call would cost more than most of these calls.
 */
import type { Runtime } from '../../contract/runtime.ts';
import type { BudgetScope, Ledger } from '../../contract/store.ts';

export interface FreeCallsDeps {
  readonly ledger: Pick<Ledger, 'tally'>;
  readonly runtime: Pick<Runtime, 'after' | 'log'>;
}

interface Count {
  calls: number;
  tokens: number;
}

const WRITE_AFTER_MS = 1000;

export class FreeCalls {
  readonly #deps: FreeCallsDeps;
  #counts = new Map<string, Count>();
  /** The scopes of the call before and their counts: most calls have the same ones. */
  #lastScopes: readonly BudgetScope[] | undefined = undefined;
  #lastCounts: readonly Count[] = [];
  #timer: ReturnType<Runtime['after']> | undefined = undefined;

  constructor(deps: FreeCallsDeps) {
    this.#deps = deps;
  }

  count(scopes: readonly BudgetScope[], tokens: number): void {
    if (scopes !== this.#lastScopes) {
      this.#lastScopes = scopes;
      this.#lastCounts = scopes.map(({ key }) => this.#countOf(key));
    }
    for (const count of this.#lastCounts) {
      count.calls++;
      count.tokens += tokens;
    }
    if (this.#timer) return;
    this.#timer = this.#deps.runtime.after(WRITE_AFTER_MS, () => {
      void this.write();
    });
    this.#timer.keepAlive?.(false);
  }

  /** Writes what was counted. Before usage is read, and at the end. */
  async write(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#counts.size === 0) return;
    const counts = this.#counts;
    this.#counts = new Map();
    this.#lastScopes = undefined;
    try {
      await this.#deps.ledger.tally(Array.from(counts, ([key, count]) => ({ key, ...count })));
    } catch (error) {
      this.#deps.runtime.log.warn('calls could not be counted', { error: String(error) });
    }
  }

  #countOf(key: string): Count {
    let count = this.#counts.get(key);
    if (!count) {
      count = { calls: 0, tokens: 0 };
      this.#counts.set(key, count);
    }
    return count;
  }
}
