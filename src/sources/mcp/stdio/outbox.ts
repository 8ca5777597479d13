/** Batches lines of one turn of the event loop into one write. */
import type { Writable } from 'node:stream';

/** Called once the text is written, or with the error. */
export type OnWritten = (error: Error | null | undefined) => void;

export class Outbox {
  readonly #pipe: Writable;
  #text = '';
  #callbacks: OnWritten[] = [];

  constructor(pipe: Writable) {
    this.#pipe = pipe;
  }

  put(line: string, onWritten: OnWritten): void {
    // After all input of this turn is handled: many clients then share one write.
    if (this.#callbacks.length === 0) setImmediate(() => this.flush());
    this.#text += line;
    this.#callbacks.push(onWritten);
  }

  /** Writes at once, for a caller that is about to close the pipe. */
  flush(): void {
    const callbacks = this.#callbacks;
    if (callbacks.length === 0) return;
    const text = this.#text;
    this.#text = '';
    this.#callbacks = [];
    this.#pipe.write(text, (error) => {
      for (const onWritten of callbacks) onWritten(error);
    });
  }
}
