/** One start of a server at a time, which can be stopped. */
import type { Runtime } from '../../contract/runtime.ts';

export interface StopOptions {
  /** How long the start may go on before it is stopped. */
  readonly patienceMs: number;
  readonly runtime: Pick<Runtime, 'after'>;
}

export class PendingStart<T> {
  #running: Promise<T> | undefined = undefined;
  #reject: ((reason: unknown) => void) | undefined = undefined;

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Joins the start that runs, or begins one. `stopped` rejects when the start is stopped. */
  run(start: (stopped: Promise<never>) => Promise<T>): Promise<T> {
    this.#running ??= start(this.#stopped()).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Waits until no start runs. Never rejects. */
  async settled(): Promise<void> {
    await this.#running?.catch(() => undefined);
  }

  /** Stops the start that runs. Never rejects. */
  async stop(reason: unknown, { patienceMs, runtime }: StopOptions): Promise<void> {
    if (!this.#running) return;
    const settled = this.settled();
    if (patienceMs > 0) {
      const patience = new AbortController();
      const timer = runtime.after(patienceMs, () => patience.abort());
      await abortable(settled, patience.signal).catch(() => undefined);
      timer.cancel();
    }
    this.#reject?.(reason);
    await settled;
  }

  #stopped(): Promise<never> {
    const stopped = new Promise<never>((_, reject) => {
      this.#reject = reject;
    });
    // A start that has ended no longer listens.
    stopped.catch(() => undefined);
    return stopped;
  }
}

/** Waits for work no longer than a signal allows; the work itself goes on for its other users. */
export const abortable = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  if (signal.aborted) return Promise.reject(signal.reason);
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  return Promise.race([work, aborted]).finally(() => {
    if (stop) signal.removeEventListener('abort', stop);
  });
};
