/** Ends the calls of one turn: all at once when it is cancelled, in two rounds when its process leaves. */
import { setMaxListeners } from 'node:events';
import type { Runtime, Timer } from '../../contract/runtime.ts';

/** How long calls that may change something have to end when their process leaves; workers give jobs as long. */
const GRACE_MS = 10_000;

export class TurnSignals {
  readonly #changing = new AbortController();
  readonly #reading = new AbortController();
  readonly #cutOff = new AbortController();

  constructor() {
    // Each call under way listens to one of them.
    setMaxListeners(0, this.changing, this.reading);
  }

  /** Cancels calls that may change something. */
  get changing(): AbortSignal {
    return this.#changing.signal;
  }

  /** Cancels calls that only read, and questions. */
  get reading(): AbortSignal {
    return this.#reading.signal;
  }

  /** Fires before calls are cancelled whose process leaves: nobody asked that they end. */
  get cutOff(): AbortSignal {
    return this.#cutOff.signal;
  }

  abort(): void {
    this.#reading.abort();
    this.#changing.abort();
  }

  abortReading(): void {
    this.#reading.abort();
  }

  /** Cancels calls that only read, which the next process makes again, and the others after a while. */
  leave({ after }: Pick<Runtime, 'after'>): Timer {
    this.abortReading();
    return after(GRACE_MS, () => {
      this.#cutOff.abort();
      this.#changing.abort();
    });
  }
}
