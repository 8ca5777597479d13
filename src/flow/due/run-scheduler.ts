/** Decides when a process looks for runs that are due: soon after something changed, else every second. */
import type { Runtime, Timer } from '../../contract/runtime.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';

export interface RunSchedulerDeps {
  readonly runtime: Pick<Runtime, 'after' | 'elapsed' | 'log'>;
  look(): Promise<void>;
  /** True while somebody in this process waits for a run: then the process stays alive. */
  isAwaited(): boolean;
}

const EVERY_MS = 1_000;

/** Moments this near to each other are one look. */
const STEP_MS = 5;

export class RunScheduler {
  readonly #deps: RunSchedulerDeps;
  #timer: Timer | undefined = undefined;
  /** When to look, within the next second; what is later, the look of every second finds. */
  readonly #moments = new Set<number>();
  /** The look that is under way: there is one at a time. */
  #looking: Promise<void> | undefined;
  #isClosed = false;

  constructor(deps: RunSchedulerDeps) {
    this.#deps = deps;
  }

  /** Looks after so many milliseconds, or earlier if that is planned already. */
  after(ms: number): void {
    if (this.#isClosed) return;
    const now = this.#deps.runtime.elapsed();
    const moment = now + Math.min(Math.max(0, ms), EVERY_MS);
    const round = ms <= 0 ? Math.floor : Math.ceil;
    this.#moments.add(round(moment / STEP_MS) * STEP_MS);
    if (!this.#looking) this.#plan(now);
  }

  /** Keeps the process alive for somebody who has begun to wait, and looks at least every second. */
  hold(): void {
    if (this.#timer && !this.#looking) this.#timer.keepAlive(true);
    else this.after(EVERY_MS);
  }

  /** Resolves when no look is under way any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#looking;
  }

  #plan(now: number): void {
    const { runtime, isAwaited } = this.#deps;
    this.#timer?.cancel();
    this.#timer = runtime.after(Math.max(0, Math.min(...this.#moments) - now), () => {
      this.#looking = this.#look();
    });
    this.#timer.keepAlive(isAwaited());
  }

  async #look(): Promise<void> {
    const now = this.#deps.runtime.elapsed();
    for (const moment of this.#moments) if (moment <= now) this.#moments.delete(moment);
    try {
      await this.#deps.look();
    } catch (error) {
      const { log } = this.#deps.runtime;
      // The store of a crib that is closing cannot be read: the next process looks.
      if (this.#isClosed) return;
      log.warn('Flows that are due could not be looked for.', { error: reasonOf(error) });
    }
    this.#looking = undefined;
    this.after(EVERY_MS);
  }
}
