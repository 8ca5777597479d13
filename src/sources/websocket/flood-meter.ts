/** Counts messages that answer no call, so that a service that floods is cut off. */
import type { Runtime } from '../../contract/runtime.ts';

const WINDOW_MS = 10_000;
const MAX_MESSAGES = 2000;
/** As many of the largest messages. */
const MAX_LARGEST = 8;

export class FloodMeter {
  readonly #runtime: Pick<Runtime, 'elapsed'>;
  readonly #maxBytes: number;
  #start = 0;
  #messages = 0;
  #bytes = 0;

  constructor(runtime: Pick<Runtime, 'elapsed'>, maxMessageBytes: number) {
    this.#runtime = runtime;
    this.#maxBytes = maxMessageBytes * MAX_LARGEST;
  }

  /** Counts one message; true when there were too many lately. */
  isFlooded(bytes: number): boolean {
    const now = this.#runtime.elapsed();
    if (now - this.#start > WINDOW_MS) {
      this.#start = now;
      this.#messages = 0;
      this.#bytes = 0;
    }
    this.#messages += 1;
    this.#bytes += bytes;
    return this.#messages > MAX_MESSAGES || this.#bytes > this.#maxBytes;
  }
}
