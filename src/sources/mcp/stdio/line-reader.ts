/** Splits a stream of bytes into lines; stops at one that is longer than allowed. */

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Decodes a line without the carriage return that some programs end it with. */
const textOf = (bytes: Buffer, from: number, end: number): string =>
  bytes.toString('utf8', from, end > from && bytes[end - 1] === RETURN ? end - 1 : end);

export class LineReader {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns the lines that are complete now; `undefined` when a line is too long: stop reading then. */
  push(chunk: Buffer): readonly string[] | undefined {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      if (this.#size + end - from > this.#limit) return undefined;
      // Most lines come whole and are decoded without a copy.
      lines.push(
        this.#size === 0 ? textOf(chunk, from, end) : this.#join(chunk.subarray(from, end)),
      );
      from = end + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
    return this.#size > this.#limit ? undefined : lines;
  }

  #keep(part: Buffer): void {
    this.#parts.push(part);
    this.#size += part.length;
  }

  #join(last: Buffer): string {
    this.#keep(last);
    const whole = Buffer.concat(this.#parts, this.#size);
    this.#parts = [];
    this.#size = 0;
    return textOf(whole, 0, whole.length);
  }
}
