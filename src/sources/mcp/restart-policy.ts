/** Decides when a failed server may be started again: after growing pauses, then not for a while. */
import type { Runtime } from '../../contract/runtime.ts';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** How long a server that was given up is not started. */
const REST_MS = 60_000;
/** A server that was ready for this long gets all its restarts back. */
const STABLE_MS = 60_000;
/** A server that forgets its sessions more often than this has failed. */
const MIN_SESSION_MS = 600_000;

export class RestartPolicy {
  readonly #maxRestarts: number;
  readonly #runtime: Pick<Runtime, 'elapsed' | 'random'>;
  #failures = 0;
  #notBefore = 0;
  #renewedAt = Number.NEGATIVE_INFINITY;

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
    // Half of it is random, so that servers that failed together do not restart together.
    const wait = this.hasGivenUp ? REST_MS : pause / 2 + (pause / 2) * this.#runtime.random();
    this.#notBefore = this.#runtime.elapsed() + wait;
  }

  /** Notes that a session was forgotten. False where the one before it was so not long ago. */
  noteRenewal(): boolean {
    const now = this.#runtime.elapsed();
    const isRare = now - this.#renewedAt >= MIN_SESSION_MS;
    this.#renewedAt = now;
    return isRare;
  }

  /** Forgets the failures once the server has been ready for long enough. `since` is when it became ready. */
  noteReady(since: number): void {
    if (this.#runtime.elapsed() - since > STABLE_MS) this.#failures = 0;
  }

  forgive(): void {
    this.#failures = 0;
    this.#notBefore = 0;
    this.#renewedAt = Number.NEGATIVE_INFINITY;
  }
}
