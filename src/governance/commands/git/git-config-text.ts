/**
 * Reads the text of a git configuration character by character, by the rules of git itself: a reader
 * that is more lenient or stricter would miss settings that git obeys.
 */
import { withoutByteOrderMark } from '../../../kit/text/byte-order-mark.ts';

export interface GitSetting {
  /** In lower case, without the name behind it: `filter` for `[filter "lfs"]`. */
  readonly section: string;
  /** In lower case; absent for the head of the section. */
  readonly key?: string;
}

/** Thrown for a text that git refuses, too. */
class GitConfigError extends Error {}

const isBlank = (char: string): boolean => /^[ \t\r\n]$/.test(char);

class ConfigReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = withoutByteOrderMark(text).replaceAll('\r\n', '\n');
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Reads the next character. The end of the text counts as the end of a line. */
  next(): string {
    const char = this.#text[this.#at] ?? '\n';
    this.#at++;
    return char;
  }

  /** Reads the rest of the line. A backslash does not continue a comment. */
  skipComment(): void {
    while (this.next() !== '\n');
  }

  /** Reads from behind `[` to `]`, and returns the name of the section. */
  section(): string {
    let name = '';
    for (let char = this.next(); char !== ']'; char = this.next()) {
      if (isBlank(char)) {
        this.#subsection(char);
        break;
      }
      if (!/^[A-Za-z0-9.-]$/.test(char)) throw new GitConfigError();
      name += char;
    }
    // The old form [diff.name] puts the name behind a dot.
    return (name.split('.')[0] as string).toLowerCase();
  }

  /** Reads a key that begins with a character, and its value. */
  key(first: string): string {
    let name = first;
    let char = this.next();
    for (; /^[A-Za-z0-9-]$/.test(char); char = this.next()) name += char;
    while (char === ' ' || char === '\t') char = this.next();
    if (char === '=') this.#value();
    else if (char !== '\n') throw new GitConfigError();
    return name.toLowerCase();
  }

  #subsection(blank: string): void {
    let char = blank;
    for (; isBlank(char); char = this.next()) if (char === '\n') throw new GitConfigError();
    if (char !== '"') throw new GitConfigError();
    for (char = this.next(); char !== '"'; char = this.next()) {
      if (char === '\\') char = this.next();
      if (char === '\n') throw new GitConfigError();
    }
    if (this.next() !== ']') throw new GitConfigError();
  }

  #value(): void {
    let isQuoted = false;
    for (let char = this.next(); char !== '\n'; char = this.next()) {
      if (!isQuoted && (char === '#' || char === ';')) {
        this.skipComment();
        return;
      }
      // Skips what is escaped: the end of a line, too, which then goes on.
      if (char === '\\') this.next();
      if (char === '"') isQuoted = !isQuoted;
    }
    if (isQuoted) throw new GitConfigError();
  }
}

/** Yields the heads of sections and the keys in their order. Throws where git would refuse the text. */
export function* gitSettings(text: string): Generator<GitSetting, void> {
  const reader = new ConfigReader(text);
  let section = '';
  while (!reader.isAtEnd) {
    const char = reader.next();
    if (isBlank(char)) continue;
    if (char === '#' || char === ';') reader.skipComment();
    else if (char === '[') {
      section = reader.section();
      yield { section };
    } else if (/^[A-Za-z]$/.test(char)) yield { section, key: reader.key(char) };
    else throw new GitConfigError();
  }
}
