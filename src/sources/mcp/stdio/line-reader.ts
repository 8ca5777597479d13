/** Cuts a stream of bytes into lines and gives up on one that is longer than allowed. */

const NEWLINE = 0x0a;

export class LineReader {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The lines that are complete now. `undefined` when a line has grown too long: nothing more is read. */
  push(chunk: Buffer): readonly string[] | undefined {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, end));
      if (this.#size > this.#limit) return undefined;
      lines.push(this.#take());
      from = end + 1;
    }
    this.#keep(chunk.subarray(from));
    return this.#size > this.#limit ? undefined : lines;
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#parts.push(part);
    this.#size += part.length;
  }

  #take(): string {
    const [only] = this.#parts;
    const whole = this.#parts.length === 1 && only ? only : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#size = 0;
    return whole.toString('utf8').replace(/\r$/, '');
  }
}
