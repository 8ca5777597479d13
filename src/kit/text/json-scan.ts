/**
 * Scans JSON text without recursion for what `JSON.parse` does not tell: where it is broken and what
 * was expected there, names given twice, numbers that a double cannot keep, text that is no Unicode,
 * and where each value starts. The one JSON scanner of this project.
 */
import { isExactNumber } from './exact-number.ts';

/** `syntax` and `depth` end the scan; the others are valid JSON that readers understand differently. */
export type JsonFlawKind = 'syntax' | 'depth' | 'duplicate' | 'inexact' | 'prototype' | 'surrogate';

export interface JsonFlaw {
  readonly kind: JsonFlawKind;
  /** JSON Pointer of the value that was being read. */
  readonly pointer: string;
  /** A clause in lower case, without a full stop and without anything of the text. */
  readonly message: string;
  readonly offset: number;
  /** One past the last character of the flaw. */
  readonly end: number;
}

export interface JsonScan {
  /** The first error; nothing after it is read. */
  readonly error: JsonFlaw | undefined;
  /** What is valid JSON and yet does not say one thing to every reader. */
  readonly warnings: readonly JsonFlaw[];
}

export interface JsonScanOptions {
  readonly maxDepth: number;
  /** Ends the scan at the first flaw of any kind. */
  readonly stopAtFirst?: boolean;
  /** Called for each value, with its pointer and where it starts. */
  onValue?(pointer: string, offset: number): void;
}

/** An object or array that is open; `names` is undefined for an array. */
interface Frame {
  readonly names: NameSet | undefined;
  name: string;
  index: number;
}

const HEX = /^[0-9a-fA-F]{4}$/;
const MAX_WARNINGS = 1000;
const MAX_LISTED_NAMES = 8;
const SINGLE_QUOTES = 'a string needs double quotes, not single ones';
const TWICE = 'this name is given twice in one object';
const INEXACT = 'this number cannot be kept exactly; send it as a string';
const PROTOTYPE = 'the name "__proto__" changes prototypes in careless programs';
/** Both are told where to begin before each use. */
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Literal characters: all but controls, the quote and the backslash. */
const PLAIN = /[ !#-[\]-\uffff]*/y;
/** In Unicode mode a pair is one character, so that halves alone fit. */
const LONE_SURROGATE = /\p{Surrogate}/u;
const SURROGATE = 'this text holds half of a surrogate pair, which is no character';

/** The names of one object: most have so few that a list is faster than a set. */
class NameSet {
  readonly #list: string[] = [];
  #set: Set<string> | undefined = undefined;

  /** Adds a name; false when it was there already. */
  add(name: string): boolean {
    if (this.#set) return this.#set.size !== this.#set.add(name).size;
    if (this.#list.includes(name)) return false;
    this.#list.push(name);
    if (this.#list.length > MAX_LISTED_NAMES) this.#set = new Set(this.#list);
    return true;
  }
}

class Stop extends Error {}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** Tells characters that cannot follow a number or a word: letters, digits, `_`, `$` and `.`. */
const continuesWord = (code: number): boolean =>
  isDigit(code) ||
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  code === 0x5f ||
  code === 0x24 ||
  code === 0x2e;

class Scanner {
  readonly #text: string;
  readonly #options: JsonScanOptions;
  readonly #frames: Frame[] = [];
  readonly warnings: JsonFlaw[] = [];
  error: JsonFlaw | undefined = undefined;
  #at = 0;

  constructor(text: string, options: JsonScanOptions) {
    this.#text = text;
    this.#options = options;
  }

  /** Reads the whole text. Throws `Stop` where the scan ends early. */
  run(): void {
    do this.#readValue();
    while (this.#closeFrames());
    this.#next();
    if (this.#at < this.#text.length) this.#fail('the value has ended, but there is more text');
  }

  get #pointer(): string {
    return this.#frames
      .map(({ names, name, index }) => `/${names ? escaped(name) : index}`)
      .join('');
  }

  #flaw(kind: JsonFlawKind, message: string, offset: number): JsonFlaw {
    return { kind, message, offset, end: this.#at, pointer: this.#pointer };
  }

  #fail(message: string, offset = this.#at, kind: 'syntax' | 'depth' = 'syntax'): never {
    const clause = offset >= this.#text.length ? `the text ends where ${message}` : message;
    this.error = this.#flaw(kind, clause, offset);
    throw new Stop();
  }

  #warn(kind: JsonFlawKind, message: string, offset: number): void {
    if (this.warnings.length < MAX_WARNINGS) this.warnings.push(this.#flaw(kind, message, offset));
    if (this.#options.stopAtFirst === true) throw new Stop();
  }

  /** Skips blanks; the code of the next character, NaN at the end. */
  #next(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
      this.#at += 1;
    }
  }

  /** Reads one value; of an object or array only up to its first value. */
  #readValue(): void {
    for (;;) {
      const code = this.#next();
      if (this.#options.onValue) this.#options.onValue(this.#pointer, this.#at);
      const isObject = code === 0x7b;
      if (!isObject && code !== 0x5b) {
        this.#readScalar(code);
        return;
      }
      const { maxDepth } = this.#options;
      if (this.#frames.length >= maxDepth) {
        this.#fail(`nesting is deeper than ${maxDepth} levels`, this.#at, 'depth');
      }
      this.#at += 1;
      if (this.#next() === (isObject ? 0x7d : 0x5d)) {
        this.#at += 1;
        return;
      }
      const names = isObject ? new NameSet() : undefined;
      const frame = { names, name: '', index: 0 };
      this.#frames.push(frame);
      if (names) this.#readName(frame, names, 'a name in double quotes is expected');
    }
  }

  /**
   * Moves on after a value: to the next one (true), or out of all that is complete (false at the
   * end).
   */
  #closeFrames(): boolean {
    for (let frame = this.#frames.at(-1); frame; frame = this.#frames.at(-1)) {
      const { names } = frame;
      const code = this.#next();
      const isEnd = code === (names ? 0x7d : 0x5d);
      if (!isEnd && code !== 0x2c) this.#fail(`a comma or "${names ? '}' : ']'}" is expected`);
      this.#at += 1;
      if (!isEnd) {
        frame.index += 1;
        if (names) this.#readName(frame, names, 'a name is expected after the comma');
        return true;
      }
      this.#frames.pop();
    }
    return false;
  }

  #readName(frame: Frame, names: NameSet, expected: string): void {
    const code = this.#next();
    const start = this.#at;
    if (code !== 0x22) {
      this.#fail(code === 0x7d ? expected : 'a name in double quotes is expected');
    }
    const name = this.#readString();
    frame.name = name;
    if (!names.add(name)) this.#warn('duplicate', TWICE, start);
    if (name === '__proto__') this.#warn('prototype', PROTOTYPE, start);
    if (this.#next() !== 0x3a) this.#fail('a colon is expected after the name');
    this.#at += 1;
  }

  #readScalar(code: number): void {
    if (code === 0x22) this.#readString();
    else if (code === 0x27) this.#fail(SINGLE_QUOTES);
    else if (code === 0x2d || isDigit(code)) this.#readNumber();
    else this.#readWord(code);
  }

  #readNumber(): void {
    const start = this.#at;
    NUMBER.lastIndex = start;
    const isNumber = NUMBER.test(this.#text);
    const end = NUMBER.lastIndex;
    if (!isNumber || continuesWord(this.#text.charCodeAt(end))) {
      this.#fail('this is not a number as JSON writes it');
    }
    this.#at = end;
    if (!isExactNumber(this.#text, start, end)) this.#warn('inexact', INEXACT, start);
  }

  #readWord(code: number): void {
    const word = code === 0x74 ? 'true' : code === 0x66 ? 'false' : 'null';
    const end = this.#at + word.length;
    if (this.#text.startsWith(word, this.#at) && !continuesWord(this.#text.charCodeAt(end))) {
      this.#at = end;
      return;
    }
    const isWord = continuesWord(code) && code !== 0x2e;
    this.#fail(`a value is expected${isWord ? '; a string needs double quotes' : ''}`);
  }

  #readString(): string {
    const start = this.#at;
    PLAIN.lastIndex = start + 1;
    PLAIN.test(this.#text);
    this.#at = PLAIN.lastIndex;
    const hasEscapes = this.#text.charCodeAt(this.#at) === 0x5c;
    if (hasEscapes) this.#skipEscapes();
    const code = this.#text.charCodeAt(this.#at);
    if (code !== 0x22) this.#failInString(code);
    this.#at += 1;
    if (!hasEscapes) return this.#text.slice(start + 1, this.#at - 1);
    const value = JSON.parse(this.#text.slice(start, this.#at)) as string;
    if (LONE_SURROGATE.test(value)) this.#warn('surrogate', SURROGATE, start);
    return value;
  }

  /** Goes on to the closing quote. By hand, because a repeated group fills the stack of the regex engine. */
  #skipEscapes(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x5c) this.#at += this.#escapeLength();
      else if (code >= 0x20 && code !== 0x22) this.#at += 1;
      else return;
    }
  }

  #escapeLength(): number {
    const next = this.#text[this.#at + 1] ?? '';
    if (next === 'u' && HEX.test(this.#text.slice(this.#at + 2, this.#at + 6))) return 6;
    if (next === '' || !'"\\/bfnrt'.includes(next))
      this.#fail('this escape does not exist in JSON');
    return 2;
  }

  #failInString(code: number): never {
    if (Number.isNaN(code)) this.#fail('a double quote should close the string');
    this.#fail('a line break or control character in a string must be escaped');
  }
}

/** Scans a text. Never throws; a byte order mark is an error, as it is for `JSON.parse`. */
export const scanJson = (text: string, options: JsonScanOptions): JsonScan => {
  const scanner = new Scanner(text, options);
  try {
    scanner.run();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
  return { error: scanner.error, warnings: scanner.warnings };
};
