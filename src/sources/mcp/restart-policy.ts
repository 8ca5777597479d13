/** When a server that failed may be started again: after pauses that grow, and then not for a while. */
import type { Runtime } from '../../contract/runtime.ts';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** How long a server that is given up rests before one call may try it. */
const REST_MS = 60_000;
/** A server that stood this long has earned its restarts anew. */
const STABLE_MS = 60_000;

export class RestartPolicy {
  readonly #maxRestarts: number;
  readonly #runtime: Pick<Runtime, 'elapsed' | 'random'>;
  #failures = 0;
  #notBefore = 0;

  constructor(maxRestarts: number, runtime: Pick<Runtime, 'elapsed' | 'random'>) {
    this.#maxRestarts = maxRestarts;
    this.#runtime = runtime;
  }

  get hasGivenUp(): boolean {
    return this.#failures > this.#maxRestarts;
  }

  /** Milliseconds until a start is allowed; 0 when it is. */
  get wait(): number {
    return Math.max(0, this.#notBefore - this.#runtime.elapsed());
  }

  noteFailure(): void {
    this.#failures += 1;
    const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 1));
    // Half of it by chance: servers that fell together do not all come back at once.
    const wait = this.hasGivenUp ? REST_MS : pause / 2 + (pause / 2) * this.#runtime.random();
    this.#notBefore = this.#runtime.elapsed() + wait;
  }

  /** Called while it stands, with the time it came up. */
  noteStanding(since: number): void {
    if (this.#runtime.elapsed() - since > STABLE_MS) this.#failures = 0;
  }

  forgive(): void {
    this.#failures = 0;
    this.#notBefore = 0;
  }
}
