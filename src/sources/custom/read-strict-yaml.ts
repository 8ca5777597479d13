/**
 * YAML to plain data with the place of every value. Aliases, anchors, tags, merge keys, duplicate
 * keys and more than one document are refused: a definition says what it says, once.
 */
import type { CST, Document, LineCounter, Node, Pair, Scalar } from 'yaml';
import { BadToolFile, type FileProblem, type Place, START } from './file-problem.ts';

const DEEPEST = 40;
const MOST_TOKENS = 50_000;
const MOST_PROBLEMS = 20;

export interface StrictYaml {
  readonly value: unknown;
  /** Of a value, or of the nearest one around it that is there. */
  place(path: readonly PropertyKey[]): Place;
  /** The node of a value that is text, with where it starts and ends in the file. */
  scalar(path: readonly PropertyKey[]): Scalar | undefined;
}

/** The composer recurses, so depth is measured on the flat tokens first. */
const firstExcess = (tokens: readonly CST.Token[]): number | undefined => {
  const stack: [token: CST.Token, depth: number][] = tokens.map((token) => [token, 0]);
  for (let seen = 0; stack.length > 0; seen += 1) {
    const [token, depth] = stack.pop() as [CST.Token, number];
    if (depth > DEEPEST || seen > MOST_TOKENS) return 'offset' in token ? token.offset : 0;
    if (token.type === 'document' && token.value) stack.push([token.value, depth + 1]);
    if (!('items' in token)) continue;
    for (const { key, value } of token.items) {
      if (key) stack.push([key, depth + 1]);
      if (value) stack.push([value, depth + 1]);
    }
  }
  return undefined;
};

interface Reader {
  readonly file: string;
  readonly library: typeof import('yaml');
  readonly lines: LineCounter;
  readonly problems: FileProblem[];
}

const placeAt = (lines: LineCounter, offset: number): Place => {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
};

const complain = ({ file, lines, problems }: Reader, offset: number, message: string): void => {
  if (problems.length < MOST_PROBLEMS) {
    problems.push({ file, ...placeAt(lines, offset), message });
  }
};

const offsetOf = (node: unknown): number => (node as Node | null)?.range?.[0] ?? 0;

const UNSAFE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const keyOf = (reader: Reader, node: unknown): string | undefined => {
  const key = reader.library.isScalar(node) ? (node.source ?? String(node.value)) : undefined;
  if (key === undefined) complain(reader, offsetOf(node), 'a key must be plain text');
  else if (UNSAFE_KEYS.has(key)) complain(reader, offsetOf(node), `the key ${key} is not allowed`);
  else if (key === '<<') complain(reader, offsetOf(node), 'merge keys are not allowed');
  else return key;
  return undefined;
};

const readPairs = (reader: Reader, pairs: readonly Pair[]): Record<string, unknown> => {
  const record: Record<string, unknown> = {};
  for (const { key: node, value } of pairs) {
    const key = keyOf(reader, node);
    if (key === undefined) continue;
    if (Object.hasOwn(record, key)) {
      complain(reader, offsetOf(node), `${key} is set twice; keep one`);
    } else record[key] = readNode(reader, value);
  }
  return record;
};

/** Walks every node, so nothing that is refused can hide behind another fault. */
const readNode = (reader: Reader, node: unknown): unknown => {
  const { isAlias, isMap, isNode, isScalar, isSeq } = reader.library;
  if (!isNode(node)) return null;
  if (isAlias(node)) {
    complain(reader, offsetOf(node), 'aliases are not allowed; write the value out');
    return null;
  }
  if (node.anchor !== undefined) complain(reader, offsetOf(node), 'anchors are not allowed');
  if (node.tag !== undefined) complain(reader, offsetOf(node), 'tags are not allowed');
  if (isScalar(node)) return node.value;
  if (isSeq(node)) return node.items.map((item) => readNode(reader, item));
  return isMap(node) ? readPairs(reader, node.items as readonly Pair[]) : null;
};

/** The library quotes what it stumbled over; that may be a secret. */
const inOurWords = (message: string): string =>
  message.replace(/: ".*$/s, '').replace(/^./, (letter) => letter.toLowerCase());

const compose = (reader: Reader, text: string): Document | undefined => {
  const { Composer, Parser } = reader.library;
  const tokens = [...new Parser(reader.lines.addNewLine).parse(text)];
  const excess = firstExcess(tokens);
  if (excess !== undefined) {
    complain(reader, excess, 'is nested too deep, or holds too much');
    return undefined;
  }
  // Keys are compared by the reader: the library's own check is quadratic.
  const options = { schema: 'core', resolveKnownTags: false, uniqueKeys: false } as const;
  const composer = new Composer({ ...options, prettyErrors: false });
  const [document, second] = [...composer.compose(tokens, true, text.length)];
  for (const fault of [...(document?.errors ?? []), ...(document?.warnings ?? [])]) {
    complain(reader, fault.pos[0], inOurWords(fault.message));
  }
  if (second) complain(reader, second.range[0], 'a file holds one definition; keep one');
  return document as Document | undefined;
};

/** Throws `BadToolFile` with everything that is wrong. */
export const readStrictYaml = async (file: string, text: string): Promise<StrictYaml> => {
  const library = await import('yaml');
  const reader: Reader = { file, library, lines: new library.LineCounter(), problems: [] };
  const document = compose(reader, text);
  const value = document && reader.problems.length === 0 && readNode(reader, document.contents);
  if (!document || reader.problems.length > 0) throw new BadToolFile(reader.problems);
  const nodeAt = (path: readonly PropertyKey[]): unknown =>
    path.length === 0 ? document.contents : document.getIn(path, true);
  const place = (path: readonly PropertyKey[]): Place => {
    const node = nodeAt(path);
    if (library.isNode(node) && node.range) return placeAt(reader.lines, node.range[0]);
    return path.length === 0 ? START : place(path.slice(0, -1));
  };
  return {
    value,
    place,
    scalar: (path) => {
      const node = nodeAt(path);
      return library.isScalar(node) ? node : undefined;
    },
  };
};
