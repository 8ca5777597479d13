/**
 * JSON with comments and trailing commas, as editors write it, with the place of every value: files of
 * others are changed by cutting, so that their comments and layout stay. Strict in everything else.
 */
export interface JsoncMember {
  readonly key: string;
  readonly keyStart: number;
  readonly value: JsoncNode;
}

export interface JsoncNode {
  readonly start: number;
  readonly end: number;
  /** Present for an object; a name occurs once. */
  readonly members?: readonly JsoncMember[];
  readonly items?: readonly JsoncNode[];
  /** Present for anything else. */
  readonly value?: string | number | boolean | null;
}

/** The place in the text, counted from 1, and what is wrong there. Quotes nothing of the text. */
export class JsoncFault extends Error {
  readonly line: number;
  constructor(message: string, line: number) {
    super(`line ${line}: ${message}`);
    this.name = 'JsoncFault';
    this.line = line;
  }
}

const DEEPEST = 64;
const BLANK = /[\s\uFEFF]+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const STRING = /"(?:[^"\\\p{Cc}]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): JsoncNode {
    const node = this.#value(0);
    this.#skip();
    if (this.#at < this.#text.length) this.#fail('something follows the end');
    return node;
  }

  #fail(message: string): never {
    throw new JsoncFault(message, this.#text.slice(0, this.#at).split('\n').length);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #skip(): void {
    while (this.#match(BLANK) !== undefined);
  }

  #takes(sign: string): boolean {
    this.#skip();
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #value(depth: number): JsoncNode {
    this.#skip();
    if (depth > DEEPEST) this.#fail('nested too deep');
    const start = this.#at;
    const sign = this.#text[start];
    if (sign === '{') return { start, members: this.#members(depth), end: this.#at };
    if (sign === '[') return { start, items: this.#items(depth), end: this.#at };
    const found = this.#match(sign === '"' ? STRING : SCALAR);
    if (found === undefined) this.#fail('expected a value');
    return { start, end: this.#at, value: JSON.parse(found ?? 'null') };
  }

  #members(depth: number): readonly JsoncMember[] {
    const members: JsoncMember[] = [];
    const seen = new Set<string>();
    this.#takes('{');
    while (!this.#takes('}')) {
      if (members.length > 0 && !this.#takes(',')) this.#fail('expected a comma');
      if (members.length > 0 && this.#takes('}')) break;
      this.#skip();
      const keyStart = this.#at;
      const key: string = JSON.parse(this.#match(STRING) ?? this.#fail('expected a name'));
      if (seen.has(key)) this.#fail('a name occurs twice');
      seen.add(key);
      if (!this.#takes(':')) this.#fail('expected a colon');
      members.push({ key, keyStart, value: this.#value(depth + 1) });
    }
    return members;
  }

  #items(depth: number): readonly JsoncNode[] {
    const items: JsoncNode[] = [];
    this.#takes('[');
    while (!this.#takes(']')) {
      if (items.length > 0 && !this.#takes(',')) this.#fail('expected a comma');
      if (items.length > 0 && this.#takes(']')) break;
      items.push(this.#value(depth + 1));
    }
    return items;
  }
}

/** Throws `JsoncFault`. */
export const parseJsonc = (text: string): JsoncNode => new Scanner(text).document();

/** The value under a name; `undefined` for anything but an object that has it. */
export const memberOf = (node: JsoncNode | undefined, key: string): JsoncNode | undefined =>
  node?.members?.find((member) => member.key === key)?.value;

/** As plain data. Objects have no prototype, so no name in them can mean more than itself. */
export const dataOf = (node: JsoncNode): unknown => {
  if (node.items) return node.items.map(dataOf);
  if (!node.members) return node.value;
  const data: Record<string, unknown> = Object.create(null);
  for (const { key, value } of node.members) data[key] = dataOf(value);
  return data;
};
