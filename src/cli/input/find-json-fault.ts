/**
 * Says where JSON text is broken and what was expected there, which the engine's own message often
 * does not. Also refuses what the engine lets pass in silence: a name given twice, a number that
 * cannot be kept exactly, and nesting without end.
 */

export interface JsonFault {
  /** Counted from 1. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

const MAX_DEPTH = 512;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[A-Za-z_$][\w$]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const BLANKS = /[ \t\n\r]*/y;

class Fault extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#value(0);
    this.#blanks();
    if (this.#at < this.#text.length) this.#fail('the value has ended, but there is more text');
  }

  #fail(message: string): never {
    const ended = this.#at >= this.#text.length;
    throw new Fault(this.#at, ended ? `the text ends where ${message}` : message);
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #blanks(): string {
    this.#take(BLANKS);
    return this.#text[this.#at] ?? '';
  }

  #value(depth: number): void {
    const start = this.#blanks();
    if (depth > MAX_DEPTH) this.#fail(`nesting is deeper than ${MAX_DEPTH} levels`);
    if (start === '{') this.#members(depth);
    else if (start === '[') this.#items(depth);
    else if (start === '"') this.#string();
    else if (start === "'") this.#fail('a string needs double quotes, not single ones');
    else if (start === '-' || (start >= '0' && start <= '9')) this.#number();
    else this.#word();
  }

  #word(): void {
    const from = this.#at;
    const word = this.#take(WORD);
    if (word === 'true' || word === 'false' || word === 'null') return;
    this.#at = from;
    this.#fail(
      word === '' ? 'a value is expected' : 'a value is expected; a string needs double quotes',
    );
  }

  #number(): void {
    const from = this.#at;
    const text = this.#take(NUMBER);
    const next = this.#text[this.#at] ?? '';
    if (text === '' || /[\w.]/.test(next)) {
      this.#at = from;
      this.#fail('this is not a number as JSON writes it');
    }
    if (/^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text))) {
      this.#at = from;
      this.#fail('this whole number is too large to be kept exactly; send it as a string');
    }
  }

  #string(): string {
    const from = this.#at;
    this.#at += 1;
    for (;;) {
      const next = this.#text[this.#at];
      if (next === '"') break;
      if (next !== undefined && next !== '\\' && next >= ' ') {
        this.#at += 1;
        continue;
      }
      if (next === undefined) this.#fail('a double quote should close the string');
      if (next !== '\\')
        this.#fail('a line break or control character in a string must be escaped');
      if (this.#take(ESCAPE) === '') this.#fail('this escape does not exist in JSON');
    }
    this.#at += 1;
    return JSON.parse(this.#text.slice(from, this.#at)) as string;
  }

  #members(depth: number): void {
    const names = new Set<string>();
    this.#at += 1;
    if (this.#blanks() === '}') {
      this.#at += 1;
      return;
    }
    for (;;) {
      this.#name(names);
      if (this.#blanks() !== ':') this.#fail('a colon is expected after the name');
      this.#at += 1;
      this.#value(depth + 1);
      if (this.#closes('}')) return;
    }
  }

  #name(names: Set<string>): void {
    const quote = this.#blanks();
    const from = this.#at;
    if (quote === '}') this.#fail('a name is expected after the comma');
    if (quote !== '"') this.#fail('a name in double quotes is expected');
    const name = this.#string();
    if (names.has(name)) {
      this.#at = from;
      this.#fail('this name is given twice in one object');
    }
    names.add(name);
  }

  #items(depth: number): void {
    this.#at += 1;
    if (this.#blanks() === ']') {
      this.#at += 1;
      return;
    }
    for (;;) {
      this.#value(depth + 1);
      if (this.#closes(']')) return;
    }
  }

  /** After a member or an item: true at the closing bracket, false at a comma. */
  #closes(bracket: string): boolean {
    const next = this.#blanks();
    if (next !== bracket && next !== ',') this.#fail(`a comma or "${bracket}" is expected`);
    this.#at += 1;
    return next === bracket;
  }
}

/** `undefined` when the text is sound JSON. */
export const findJsonFault = (text: string): JsonFault | undefined => {
  try {
    new Scanner(text).document();
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const before = text.slice(0, error.at);
    const start = before.lastIndexOf('\n') + 1;
    return {
      line: before.split('\n').length,
      column: [...before.slice(start)].length + 1,
      message: error.message,
    };
  }
};
