/**
 * Reads JSON strictly and without recursion, for what `JSON.parse` does not tell: where exactly it
 * goes wrong, which keys occur twice, and where in the text each value starts.
 */

export interface Flaw {
  /** JSON Pointer. */
  readonly pointer: string;
  readonly message: string;
  readonly offset: number;
}

export interface JsonScan {
  /** The first error; nothing after it is looked at. */
  readonly error: Flaw | undefined;
  /** Valid, and yet not what its author means. */
  readonly warnings: readonly Flaw[];
}

export interface ScanOptions {
  readonly maxDepth: number;
  /** Told about each value: its pointer and where it starts. */
  onValue?(pointer: string, offset: number): void;
}

interface Frame {
  readonly pointer: string;
  /** The keys seen; `undefined` for an array. */
  readonly keys: Set<string> | undefined;
  /** The place of the current value below the frame. */
  step: string;
  index: number;
}

const WORDS: readonly string[] = ['true', 'false', 'null'];

class Stop extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** One part of a JSON Pointer. */
const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

class Scanner {
  readonly #text: string;
  readonly #options: ScanOptions;
  readonly #frames: Frame[] = [];
  readonly #number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
  readonly #space = /[ \t\n\r]*/y;
  readonly #escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
  readonly warnings: Flaw[] = [];
  #at = 0;

  constructor(text: string, options: ScanOptions) {
    this.#text = text;
    this.#options = options;
  }

  get pointer(): string {
    const frame = this.#frames.at(-1);
    return frame ? `${frame.pointer}/${frame.step}` : '';
  }

  /** Reads the whole text. Throws `Stop` where it is wrong. */
  run(): void {
    if (this.#text.startsWith('\ufeff')) this.#stop('The text starts with a byte order mark');
    do this.#readValue();
    while (this.#closeFrames());
    this.#take(this.#space);
    if (this.#at < this.#text.length) this.#stop('Nothing may follow the value');
  }

  #stop(message: string, offset = this.#at): never {
    throw new Stop(message, offset);
  }

  /** Moves on over what the expression fits here; false when it does not. */
  #take(expression: RegExp): boolean {
    expression.lastIndex = this.#at;
    const fits = expression.test(this.#text);
    if (fits) this.#at = expression.lastIndex;
    return fits;
  }

  #next(): string {
    this.#take(this.#space);
    return this.#text[this.#at] ?? '';
  }

  /** Reads one value; of an object or array only the way to its first value. */
  #readValue(): void {
    for (;;) {
      const char = this.#next();
      this.#options.onValue?.(this.pointer, this.#at);
      if (char !== '{' && char !== '[') {
        this.#readScalar(char);
        return;
      }
      if (this.#frames.length >= this.#options.maxDepth) {
        this.#stop(`Nested deeper than ${this.#options.maxDepth} levels`);
      }
      const keys = char === '{' ? new Set<string>() : undefined;
      this.#at += 1;
      const isEmpty = this.#next() === (keys ? '}' : ']');
      if (isEmpty) {
        this.#at += 1;
        return;
      }
      this.#frames.push({ pointer: this.pointer, keys, step: '0', index: 0 });
      if (keys) this.#readKey(keys);
    }
  }

  /** After a value: on to the next one (true), or out of all that is complete (false at the end). */
  #closeFrames(): boolean {
    for (let frame = this.#frames.at(-1); frame; frame = this.#frames.at(-1)) {
      const end = frame.keys ? '}' : ']';
      const char = this.#next();
      if (char !== ',' && char !== end) this.#stop(`Expected "," or "${end}"`);
      this.#at += 1;
      if (char === ',') {
        this.#stepOn(frame, end);
        return true;
      }
      this.#frames.pop();
    }
    return false;
  }

  #stepOn(frame: Frame, end: string): void {
    if (this.#next() === end) this.#stop('A comma must not stand before the end');
    frame.index += 1;
    frame.step = String(frame.index);
    if (frame.keys) this.#readKey(frame.keys);
  }

  #readKey(keys: Set<string>): void {
    const start = this.#at;
    if (this.#next() !== '"') this.#stop('A property name must stand in double quotes');
    const key = this.#readString();
    const frame = this.#frames.at(-1);
    if (frame) frame.step = escaped(key);
    if (keys.has(key)) this.#warn('The key occurs twice; the last one counts', start);
    if (key === '__proto__') this.#warn('The key changes prototypes in careless programs', start);
    keys.add(key);
    if (this.#next() !== ':') this.#stop('Expected ":" after the property name');
    this.#at += 1;
  }

  #readScalar(char: string): void {
    const start = this.#at;
    if (char === '"') {
      this.#readString();
      return;
    }
    const word = WORDS.find((each) => this.#text.startsWith(each, start)) ?? '';
    this.#at += word.length;
    const isNumber = word === '' && this.#take(this.#number);
    if (word === '' && !isNumber) {
      this.#stop(char === '' ? 'The text ends too early' : 'Expected a value');
    }
    if (/[\w.+-]/.test(this.#text[this.#at] ?? '')) this.#stop('Expected a value', start);
    const digits = this.#text.slice(start, this.#at);
    if (isNumber && /^-?\d+$/.test(digits) && !Number.isSafeInteger(Number(digits))) {
      this.#warn('The number is too large to be exact', start);
    }
  }

  #readString(): string {
    const start = this.#at;
    for (this.#at += 1; ; this.#at += 1) {
      const code = this.#text.charCodeAt(this.#at);
      if (Number.isNaN(code)) this.#stop('The string is not closed', start);
      if (code < 0x20) this.#stop('A control character must be escaped');
      if (code === 0x22) break;
      if (code !== 0x5c) continue;
      if (!this.#take(this.#escape)) this.#stop('No such escape sequence');
      this.#at -= 1;
    }
    this.#at += 1;
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
  }

  #warn(message: string, offset: number): void {
    this.warnings.push({ pointer: this.pointer, message, offset });
  }
}

export const scanJson = (text: string, options: ScanOptions): JsonScan => {
  const scanner = new Scanner(text, options);
  try {
    scanner.run();
    return { error: undefined, warnings: scanner.warnings };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    const { message, offset } = error;
    return { error: { pointer: scanner.pointer, message, offset }, warnings: scanner.warnings };
  }
};
