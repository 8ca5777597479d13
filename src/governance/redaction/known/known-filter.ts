/**
 * Rules out in one pass that a text holds a known value. It compares letters and digits only, five
 * at a time, so that case, punctuation, blanks and line breaks make no difference. What it cannot
 * rule out is a few places; only their surroundings are searched in full.
 */
import { NO_SPANS, type Span } from '../span.ts';
import { foldAt } from './fold-text.ts';

/** Five characters of six bits fit into a small integer. */
const GRAM = 5;
const BITS = 6;
const GRAM_MASK = (1 << (GRAM * BITS)) - 1;
/** The gram of a form is chosen among its first letters and digits. */
const MAX_HEAD = 64;
const MIN_TABLE_BITS = 12;
/** Slots in the table for each gram: one place in so many is looked up in vain. */
const ROOM = 32;
/** Spreads keys over the table by their high bits. */
const MIXER = 0x9e_37_79_b1;

/** 1 to 10 for digits, 11 to 36 for letters of either case, 0 for all other ASCII characters. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 48 && code <= 57) return code - 47;
  const letter = code | 32;
  return code >= 65 && letter >= 97 && letter <= 122 ? letter - 86 : 0;
});

/**
 * Gives the digit of other characters. Several share one: the filter may hit too often, never too
 * rarely.
 */
const otherDigit = (text: string, at: number): number => {
  const code = foldAt(text, at);
  if (code === 0) return 0;
  return code < 128 ? (DIGITS[code] as number) : (code % 63) + 1;
};

const digitsOf = (form: string): number[] => {
  const digits: number[] = [];
  for (let at = 0; at < form.length && digits.length < MAX_HEAD; at++) {
    const code = form.charCodeAt(at);
    const digit = code < 128 ? (DIGITS[code] as number) : otherDigit(form, at);
    if (digit !== 0) digits.push(digit);
  }
  return digits;
};

const isNumber = (digit: number): boolean => digit <= 10;

/** Recognises j, k, q, v, w, x, y and z. */
const isRare = (digit: number): boolean =>
  digit === 20 || digit === 21 || digit === 27 || digit >= 32;

/**
 * Estimates how rare the characters from a position on are in ordinary text: words have no numbers
 * among letters.
 */
const rarity = (digits: readonly number[], from: number): number => {
  let score = 0;
  for (let at = from; at < from + GRAM; at++) {
    const digit = digits[at] as number;
    if (at > from && isNumber(digit) !== isNumber(digits[at - 1] as number)) score += 2;
    if (isRare(digit)) score++;
  }
  return score;
};

/** Packs the five rarest characters of a form into a number. */
const rarestGram = (digits: readonly number[]): number => {
  let best = 0;
  let most = -1;
  for (let from = 0; from + GRAM <= digits.length; from++) {
    const score = rarity(digits, from);
    if (score > most) [best, most] = [from, score];
  }
  return digits.slice(best, best + GRAM).reduce((key, digit) => (key << BITS) | digit, 0);
};

export class KnownFilter {
  readonly #grams = new Set<number>();
  #tableBits = MIN_TABLE_BITS;
  #table = new Uint8Array(1 << MIN_TABLE_BITS);

  /** Adds a text; false when it has too few letters and digits to be found by them. */
  add(form: string): boolean {
    const digits = digitsOf(form);
    if (digits.length < GRAM) return false;
    const gram = rarestGram(digits);
    this.#grams.add(gram);
    if (this.#grams.size * ROOM > this.#table.length) this.#grow();
    else this.#mark(gram);
    return true;
  }

  /** Lists the surroundings of the places that may hold a known text, in order and apart. */
  candidates(text: string, reach: number): readonly Span[] {
    const table = this.#table;
    const shift = 32 - this.#tableBits;
    let spans: { from: number; to: number }[] | undefined;
    let key = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const digit = code < 128 ? (DIGITS[code] as number) : otherDigit(text, at);
      if (digit === 0) continue;
      key = ((key << BITS) | digit) & GRAM_MASK;
      if (table[Math.imul(key, MIXER) >>> shift] === 0 || !this.#grams.has(key)) continue;
      const from = Math.max(0, at - reach);
      const to = Math.min(text.length, at + reach);
      spans ??= [];
      const last = spans.at(-1);
      if (last && from <= last.to) last.to = to;
      else spans.push({ from, to });
    }
    return spans ?? NO_SPANS;
  }

  #grow(): void {
    this.#tableBits++;
    this.#table = new Uint8Array(1 << this.#tableBits);
    for (const gram of this.#grams) this.#mark(gram);
  }

  #mark(gram: number): void {
    this.#table[Math.imul(gram, MIXER) >>> (32 - this.#tableBits)] = 1;
  }
}
