/**
 * Finds text that looks like JSON objects and arrays inside other text. Takes one pass for any text:
 * brackets are matched on a stack, and strings count only inside brackets.
 */

export interface Span {
  readonly start: number;
  /** One past the last character. */
  readonly end: number;
}

const CLOSES: Readonly<Record<string, string>> = { '}': '{', ']': '[' };

class Finder {
  readonly #text: string;
  readonly #open: number[] = [];
  readonly spans: Span[] = [];
  #inString = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Offsets of brackets that nothing closed. */
  get open(): readonly number[] {
    return this.#open;
  }

  run(): void {
    for (let at = 0; at < this.#text.length; at++) {
      const character = this.#text.charAt(at);
      if (this.#inString) at = this.#string(character, at);
      else this.#outside(character, at);
    }
  }

  /** Reads inside a string. A line break means that it is not one: JSON has no line breaks in strings. */
  #string(character: string, at: number): number {
    if (character === '\\') return at + 1;
    if (character === '"') this.#inString = false;
    else if (character === '\n') {
      this.#inString = false;
      this.#open.length = 0;
    }
    return at;
  }

  #outside(character: string, at: number): void {
    if (character === '{' || character === '[') this.#open.push(at);
    else if (character === '"') this.#inString = this.#open.length > 0;
    else if (Object.hasOwn(CLOSES, character)) this.#close(character, at);
  }

  #close(character: string, at: number): void {
    const start = this.#open.pop();
    if (start === undefined) return;
    if (this.#text.charAt(start) !== CLOSES[character]) {
      this.#open.length = 0;
      return;
    }
    // Drops the spans inside this one.
    while ((this.spans.at(-1)?.start ?? -1) > start) this.spans.pop();
    this.spans.push({ start, end: at + 1 });
  }
}

/** Matches what follows the opening bracket of a JSON object or array; prose has brackets, too. */
const JSON_START = /^\s*["{[]/;

export interface FoundJson {
  /** The outermost balanced objects and arrays, longest first. */
  readonly spans: readonly Span[];
  /** Where the first object or array begins that the end of the text cuts off. */
  readonly cut: number | undefined;
}

export const findJson = (text: string): FoundJson => {
  const finder = new Finder(text);
  finder.run();
  const spans = finder.spans.toSorted((a, b) => b.end - b.start - (a.end - a.start));
  const cut = finder.open.find((at) => JSON_START.test(text.slice(at + 1, at + 100)));
  return { spans, cut };
};
