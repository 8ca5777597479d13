/** Gathers what is written in the same turn of the event loop, so that the child gets it in one piece. */
import type { Writable } from 'node:stream';

/** Told once the text is written, or why it could not be. */
export type Told = (error: Error | null | undefined) => void;

export class Outbox {
  readonly #pipe: Writable;
  #text = '';
  #told: Told[] = [];

  constructor(pipe: Writable) {
    this.#pipe = pipe;
  }

  put(line: string, told: Told): void {
    // Once everything that has arrived is looked at: many clients then share one write.
    if (this.#told.length === 0) setImmediate(() => this.flush());
    this.#text += line;
    this.#told.push(told);
  }

  /** At once, for one who is about to close the pipe. */
  flush(): void {
    const told = this.#told;
    if (told.length === 0) return;
    const text = this.#text;
    this.#text = '';
    this.#told = [];
    this.#pipe.write(text, (error) => {
      for (const tell of told) tell(error);
    });
  }
}
