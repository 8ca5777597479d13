/**
 * Parses JSON with comments and trailing commas, as editors write it, with the position of every value:
 * files of other programs are edited as text, so that comments and layout stay. Strict otherwise.
 */
import {
  createScanner,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { BYTE_ORDER_MARK, withoutByteOrderMark } from '../../kit/text/byte-order-mark.ts';

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

/** A fault with its line, counted from 1. Quotes nothing of the text. */
export class JsoncFault extends Error {
  readonly line: number;
  constructor(message: string, line: number) {
    super(`line ${line}: ${message}`);
    this.name = 'JsoncFault';
    this.line = line;
  }
}

const MAX_DEPTH = 64;

const WORDS: ReadonlyMap<string, string> = new Map([
  ['CommaExpected', 'expected a comma'],
  ['ColonExpected', 'expected a colon'],
  ['PropertyNameExpected', 'expected a name'],
  ['EndOfFileExpected', 'something follows the end'],
  ['UnexpectedEndOfComment', 'a comment has no end'],
]);

const faultAt = (text: string, offset: number, message: string): JsoncFault =>
  new JsoncFault(message, text.slice(0, offset).split('\n').length);

/** Runs before the parser, which recurses. */
const assertShallow = (text: string): void => {
  const scanner = createScanner(text, true);
  let depth = 0;
  while (scanner.getPosition() < text.length) {
    scanner.scan();
    const token = text[scanner.getTokenOffset()];
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    if (depth > MAX_DEPTH) throw faultAt(text, scanner.getTokenOffset(), 'nested too deep');
  }
};

const membersOf = (text: string, properties: readonly Node[]): readonly JsoncMember[] => {
  const seen = new Set<string>();
  return properties.map(({ children = [] }) => {
    const [name, value] = children as [Node, Node];
    const key = String(name.value);
    if (seen.has(key)) throw faultAt(text, name.offset, 'a name occurs twice');
    seen.add(key);
    return { key, keyStart: name.offset, value: nodeOf(text, value) };
  });
};

const nodeOf = (text: string, { type, offset, length, children = [], value }: Node): JsoncNode => {
  const range = { start: offset, end: offset + length };
  if (type === 'object') return { ...range, members: membersOf(text, children) };
  if (type === 'array') return { ...range, items: children.map((item) => nodeOf(text, item)) };
  return { ...range, value };
};

/** Throws `JsoncFault`. */
export const parseJsonc = (fileText: string): JsoncNode => {
  // A blank replaces the byte order mark, so that every offset is right.
  const text = fileText.startsWith(BYTE_ORDER_MARK)
    ? ` ${withoutByteOrderMark(fileText)}`
    : fileText;
  assertShallow(text);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first)
    throw faultAt(
      text,
      first.offset,
      WORDS.get(printParseErrorCode(first.error)) ?? 'expected a value',
    );
  if (!root) throw faultAt(text, 0, 'expected a value');
  return nodeOf(text, root);
};

/** Finds the value of a member; returns `undefined` when there is none. */
export const memberOf = (node: JsoncNode | undefined, key: string): JsoncNode | undefined =>
  node?.members?.find((member) => member.key === key)?.value;

/** Converts a node to plain data. Objects have no prototype, so that every name is harmless. */
export const dataOf = (node: JsoncNode): unknown => {
  if (node.items) return node.items.map(dataOf);
  if (!node.members) return node.value;
  const data: Record<string, unknown> = Object.create(null);
  for (const { key, value } of node.members) data[key] = dataOf(value);
  return data;
};
