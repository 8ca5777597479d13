/** The real clock, chance and log. The only file that reads the system clock or rolls dice. */
import type { Logger, Runtime, Timer } from '../contract/runtime.ts';

const SILENT: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

class SystemTimer implements Timer {
  readonly #timeout: NodeJS.Timeout;

  constructor(ms: number, callback: () => void) {
    this.#timeout = setTimeout(callback, ms);
  }

  cancel(): void {
    clearTimeout(this.#timeout);
  }

  keepAlive(on: boolean): void {
    if (on) this.#timeout.ref();
    else this.#timeout.unref();
  }
}

/** A runtime on the system's clock; tests replace the parts they want to own. */
export const createRuntime = (parts: Partial<Runtime> = {}): Runtime => ({
  now: () => Date.now(),
  elapsed: () => performance.now(),
  random: () => Math.random(),
  after: (ms, callback) => new SystemTimer(ms, callback),
  log: SILENT,
  ...parts,
});
