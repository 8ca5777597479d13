/** Decides when a process looks for runs that are due: soon after something changed, else every second. */
import type { Runtime, Timer } from '../contract/runtime.ts';
import { reasonOf } from '../kit/data/reason-of.ts';

export interface RunSchedulerDeps {
  readonly runtime: Pick<Runtime, 'after' | 'elapsed' | 'log'>;
  look(): Promise<void>;
  /** True while somebody in this process waits for a run: then the process stays alive. */
  isAwaited(): boolean;
}

const EVERY_MS = 1_000;

export class RunScheduler {
  readonly #deps: RunSchedulerDeps;
  #timer: Timer | undefined = undefined;
  #lookAt = Number.POSITIVE_INFINITY;
  #isClosed = false;

  constructor(deps: RunSchedulerDeps) {
    this.#deps = deps;
  }

  /** Looks after so many milliseconds, or earlier if that is planned already. */
  after(ms: number): void {
    if (this.#isClosed) return;
    const { runtime, isAwaited } = this.#deps;
    const now = runtime.elapsed();
    this.#lookAt = Math.min(now + Math.min(Math.max(0, ms), EVERY_MS), this.#lookAt);
    this.#timer?.cancel();
    this.#timer = runtime.after(this.#lookAt - now, () => this.#look());
    this.#timer.keepAlive(isAwaited());
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #look(): void {
    this.#lookAt = Number.POSITIVE_INFINITY;
    this.#deps
      .look()
      .catch((error: unknown) => {
        const { log } = this.#deps.runtime;
        log.warn('Flows that are due could not be looked for.', { error: reasonOf(error) });
      })
      .finally(() => this.after(EVERY_MS));
  }
}
