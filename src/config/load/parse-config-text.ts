/**
 * A configuration file's text to plain data, with the place of every key and value kept, so that
 * whatever is found wrong later can be pointed at.
 */
import type { LineCounter, Node, Pair, Scalar } from 'yaml';
import { isRecord } from '../../kit/data/is-record.ts';
import type { ConfigPath } from '../document/config-shape.ts';
import { isPrototypeKey, type Tree } from '../document/config-tree.ts';
import {
  composeYaml,
  DEEPEST,
  MOST_NODES,
  MOST_PROBLEMS,
  type TextProblem,
} from './compose-yaml.ts';

export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface ParsedText {
  readonly value: Tree;
  readonly problems: readonly TextProblem[];
  position(path: ConfigPath, part: 'key' | 'value'): Position | undefined;
}

interface Reader {
  readonly library: typeof import('yaml');
  readonly lines: LineCounter;
  readonly anchors: Map<string, Node>;
  readonly places: Map<string, { readonly key?: Position; readonly value?: Position }>;
  readonly problems: TextProblem[];
  left: number;
}

const placeKey = (path: ConfigPath): string => path.join('\0');

const startOf = (reader: Reader, node: unknown): Position | undefined => {
  const range = (node as Node | null)?.range;
  if (!range) return undefined;
  const { line, col } = reader.lines.linePos(range[0]);
  return { line, column: col };
};

const complain = (reader: Reader, node: unknown, fault: Omit<TextProblem, keyof Position>) => {
  if (reader.problems.length >= MOST_PROBLEMS) return;
  reader.problems.push({ ...(startOf(reader, node) ?? { line: 1, column: 1 }), ...fault });
};

const ALLOWED_TAG = /^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/;

/** What makes a node unusable before one looks inside. */
const faultOf = (reader: Reader, node: Node, depth: number): string | undefined => {
  if (reader.left < 0) return `holds more than ${MOST_NODES} values once its aliases are followed`;
  if (depth > DEEPEST) return `nested deeper than ${DEEPEST} levels`;
  const { tag } = node as { tag?: string };
  return tag === undefined || ALLOWED_TAG.test(tag) ? undefined : 'custom tags are not allowed';
};

const readNode = (reader: Reader, node: unknown, path: ConfigPath): unknown => {
  const { isAlias, isMap, isScalar, isSeq, isNode } = reader.library;
  if (!isNode(node)) return null;
  reader.left -= 1;
  const fault = faultOf(reader, node, path.length);
  if (fault !== undefined) {
    // Once the budget is spent every further node is one too many; one complaint says it.
    if (reader.left >= -1) complain(reader, node, { path: path.join('.'), message: fault });
    return null;
  }
  if (isAlias(node)) {
    const target = reader.anchors.get(node.source);
    if (target) return readNode(reader, target, path);
    complain(reader, node, { path: path.join('.'), message: 'there is no anchor of this name' });
    return null;
  }
  if (node.anchor !== undefined) reader.anchors.set(node.anchor, node);
  if (isScalar(node)) return node.value;
  if (isSeq(node)) {
    return node.items.map((item, index) => readItem(reader, item, [...path, index]));
  }
  return isMap(node) ? readMap(reader, node.items, path) : null;
};

const readItem = (reader: Reader, item: unknown, path: ConfigPath): unknown => {
  const value = startOf(reader, item);
  if (value) reader.places.set(placeKey(path), { value });
  return readNode(reader, item, path);
};

const readMap = (reader: Reader, pairs: readonly Pair[], path: ConfigPath): Tree => {
  const tree: Record<string, unknown> = {};
  for (const { key: node, value } of pairs) {
    const key = keyOf(reader, node, path);
    if (key === undefined) continue;
    if (Object.hasOwn(tree, key)) {
      complain(reader, node, { path: [...path, key].join('.'), message: 'is set twice; keep one' });
      continue;
    }
    const below = [...path, key];
    const [keyAt, valueAt] = [startOf(reader, node), startOf(reader, value)];
    reader.places.set(placeKey(below), {
      ...(keyAt && { key: keyAt }),
      ...(valueAt && { value: valueAt }),
    });
    tree[key] = readNode(reader, value, below);
  }
  return tree;
};

/** A key as text, or `undefined` after a complaint. */
const keyOf = (reader: Reader, node: unknown, path: ConfigPath): string | undefined => {
  const scalar = reader.library.isScalar(node) ? (node as Scalar) : undefined;
  const key = scalar?.value;
  if (typeof key !== 'string' && typeof key !== 'number' && typeof key !== 'boolean') {
    complain(reader, node, { path: path.join('.'), message: 'a key must be plain text' });
    return undefined;
  }
  if (isPrototypeKey(key)) {
    complain(reader, node, { path: path.join('.'), message: `the key ${key} is not allowed` });
    return undefined;
  }
  // As it is written: a tool called 007 must not become 7.
  return scalar?.source ?? String(key);
};

/** Never throws for bad text. An empty file is an empty mapping. */
export const parseConfigText = async (text: string): Promise<ParsedText> => {
  const composed = await composeYaml(text);
  const nowhere = { value: {}, position: () => undefined };
  if (!composed.document) return { ...nowhere, problems: composed.problems };
  const reader: Reader = {
    library: await import('yaml'),
    lines: composed.lines,
    anchors: new Map(),
    places: new Map(),
    problems: [],
    left: MOST_NODES,
  };
  const root = composed.document.contents;
  const value = readNode(reader, root, []) ?? {};
  if (!isRecord(value)) {
    complain(reader, root, { path: '', message: 'expected a mapping of sections, e.g. "tools:"' });
  }
  return {
    value: isRecord(value) ? value : {},
    problems: reader.problems,
    position: (path, part) => {
      const place = reader.places.get(placeKey(path));
      return part === 'key' ? (place?.key ?? place?.value) : (place?.value ?? place?.key);
    },
  };
};
