/**
 * Finds known values that were written differently: in other letters, with something between the
 * letters, or backwards. Text and values are compared by their letters and digits alone.
 */
import { NO_SPANS, type Span } from '../span.ts';
import { MIN_SECRET_LENGTH } from './encoded-forms.ts';
import { DROPPED, foldAt } from './fold-text.ts';
import { TextIndex } from './text-index.ts';

/** Shorter ones of digits alone would be found in every table. */
const MIN_DIGITS = 8;
/** From here on anything may stand between the characters; shorter values would be found in prose. */
const MIN_LOOSE = 12;
/** For each character that counts, at most so many that do not. */
export const MAX_GAP_RATIO = 8;
/** Of a longer value the start is enough. */
const MAX_SECRET = 1024;

/** Letters and digits of a text, and where each of them stood. Used again for the next text. */
class Folding {
  codes = new Uint16Array(256);
  places = new Int32Array(256);
  length = 0;

  fold(text: string): void {
    if (text.length > this.codes.length) {
      this.codes = new Uint16Array(text.length * 2);
      this.places = new Int32Array(text.length * 2);
    }
    const { codes, places } = this;
    let length = 0;
    for (let at = 0; at < text.length; at++) {
      const folded = foldAt(text, at);
      if (folded === DROPPED) continue;
      codes[length] = folded;
      places[length++] = at;
    }
    this.length = length;
  }

  text(from: number, to: number): string {
    return Buffer.from(this.codes.buffer, from * 2, (to - from) * 2).toString('utf16le');
  }

  place(at: number): number {
    return this.places[at] as number;
  }
}

export class FoldedValues {
  readonly #index = new TextIndex();
  /** How many other characters a value has between its letters by itself. */
  readonly #gaps = new Map<string, number>();

  readonly #folding = new Folding();

  /** Of the longest value. */
  get longest(): number {
    return this.#index.longest;
  }

  /** Remembers a value and returns the texts to look for; none when it has too few letters and digits. */
  learn(secret: string): readonly string[] {
    const folding = this.#folding;
    folding.fold(secret.slice(0, MAX_SECRET));
    const { length } = folding;
    const text = folding.text(0, length);
    const least = /^\d*$/.test(text) ? MIN_DIGITS : MIN_SECRET_LENGTH;
    if (length < least) return [];
    const gaps = folding.place(length - 1) - folding.place(0) + 1 - length;
    const forms = [text, [...text].reverse().join('')];
    for (const form of forms) {
      this.#index.add(form);
      this.#gaps.set(form, Math.max(gaps, this.#gaps.get(form) ?? 0));
    }
    return forms;
  }

  find(text: string): readonly Span[] {
    if (this.#index.empty || text.length < MIN_SECRET_LENGTH) return NO_SPANS;
    const folding = this.#folding;
    folding.fold(text);
    const spans = this.#index.find(folding.text(0, folding.length));
    if (spans.length === 0) return NO_SPANS;
    return spans
      .filter((span) => this.#isWritten(text, span))
      .map(({ from, to }) => ({ from: folding.place(from), to: folding.place(to - 1) + 1 }));
  }

  /** Tells whether the characters are spaced as one written value is. */
  #isWritten(text: string, { from, to }: Span): boolean {
    const folding = this.#folding;
    const length = to - from;
    const start = folding.place(from);
    const gaps = folding.place(to - 1) - start + 1 - length;
    if (gaps > length * MAX_GAP_RATIO) return false;
    const written = text.slice(start, start + length + gaps);
    // Words with blanks between them are prose; with a digit among them they are not.
    if (/\d/.test(written) || !/\s/.test(written)) {
      if (gaps <= (this.#gaps.get(folding.text(from, to)) ?? 0)) return true;
      if (length >= MIN_LOOSE) return true;
    }
    let apart = 0;
    for (let at = from + 1; at < to; at++) {
      if (folding.place(at) - folding.place(at - 1) > 1) apart++;
    }
    return apart * 2 >= length;
  }
}
