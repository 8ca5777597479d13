/**
 * Finds any of many known texts in one pass. A rolling hash of a few characters and a table of bits
 * rule nearly every place out, so that a thousand secrets cost hardly more than one.
 */
import { NO_SPANS, type Span } from '../span.ts';
import { MIN_SECRET_LENGTH } from './encoded-forms.ts';

/** Those that start with the same characters. */
interface Bucket {
  readonly texts: Set<string>;
  /** Longest first, each once. */
  lengths: readonly number[];
}

const FACTOR = 0x01_00_01_93;
/** What the character that leaves the window had been multiplied with. */
const LEAVING = Array.from({ length: MIN_SECRET_LENGTH }).reduce<number>(
  (product) => Math.imul(product, FACTOR),
  1,
);
const MIN_TABLE = 1 << 12;
/** Slots in the table for each text: about one place in so many is looked at in vain. */
const ROOM = 32;

const hashOf = (text: string): number => {
  let hash = 0;
  for (let at = 0; at < MIN_SECRET_LENGTH; at++) {
    hash = (Math.imul(hash, FACTOR) + text.charCodeAt(at)) | 0;
  }
  return hash;
};

/** Picks a slot by the high bits, which are the well-mixed ones. */
const slotOf = (hash: number, mask: number): number => (hash ^ (hash >>> 15)) & mask;

const longestAt = (text: string, at: number, { texts, lengths }: Bucket): number =>
  lengths.find((length) => at + length <= text.length && texts.has(text.slice(at, at + length))) ??
  0;

export class TextIndex {
  readonly #buckets = new Map<string, Bucket>();
  #table = new Uint8Array(MIN_TABLE);
  #size = 0;
  #longest = 0;

  get empty(): boolean {
    return this.#size === 0;
  }

  /** Of the longest text that is looked for. */
  get longest(): number {
    return this.#longest;
  }

  /** Adds a text of at least `MIN_SECRET_LENGTH` characters. */
  add(form: string): void {
    const start = form.slice(0, MIN_SECRET_LENGTH);
    const bucket = this.#buckets.get(start) ?? { texts: new Set(), lengths: [] };
    this.#buckets.set(start, bucket);
    bucket.texts.add(form);
    bucket.lengths = [...new Set([...bucket.lengths, form.length])].sort((a, b) => b - a);
    this.#longest = Math.max(this.#longest, form.length);
    this.#size++;
    if (this.#size * ROOM > this.#table.length) this.#grow();
    else this.#mark(start);
  }

  find(text: string): readonly Span[] {
    if (text.length < MIN_SECRET_LENGTH) return NO_SPANS;
    const table = this.#table;
    const mask = table.length - 1;
    let spans: Span[] | undefined;
    let hash = hashOf(text);
    for (let at = 0; ; at++) {
      if (table[slotOf(hash, mask)] === 1) {
        const length = this.#lengthAt(text, at);
        if (length > 0) {
          spans ??= [];
          spans.push({ from: at, to: at + length });
        }
      }
      const next = at + MIN_SECRET_LENGTH;
      if (next >= text.length) return spans ?? NO_SPANS;
      const entered = Math.imul(hash, FACTOR) + text.charCodeAt(next);
      hash = (entered - Math.imul(LEAVING, text.charCodeAt(at))) | 0;
    }
  }

  #lengthAt(text: string, at: number): number {
    const bucket = this.#buckets.get(text.slice(at, at + MIN_SECRET_LENGTH));
    return bucket ? longestAt(text, at, bucket) : 0;
  }

  #grow(): void {
    this.#table = new Uint8Array(this.#table.length * 2);
    for (const start of this.#buckets.keys()) this.#mark(start);
  }

  #mark(start: string): void {
    this.#table[slotOf(hashOf(start), this.#table.length - 1)] = 1;
  }
}
