/**
 * Puts one value into the text of a configuration file and leaves every other character alone. The
 * library can write documents back, but moves comments about; people keep notes in this file.
 */
import type { Document, Node, Pair } from 'yaml';
import type { ConfigPath } from '../document/config-shape.ts';
import { flowText } from './flow-text.ts';

export interface Setting {
  readonly path: ConfigPath;
  readonly value: unknown;
}

interface Found {
  /** How many keys of the path are there. */
  readonly depth: number;
  readonly node: Node | null;
  /** The pair whose value `node` is; absent for the root and for items of a list. */
  readonly pair: Pair | undefined;
}

type Library = typeof import('yaml');

const sourceOf = (key: unknown): string => {
  const { source, value } = key as { source?: string; value?: unknown };
  return source ?? String(value);
};

const follow = (library: Library, document: Document, path: ConfigPath): Found => {
  let found: Found = { depth: 0, node: document.contents, pair: undefined };
  for (const key of path) {
    const { node, depth } = found;
    if (library.isSeq(node) && typeof key === 'number' && key < node.items.length) {
      found = { depth: depth + 1, node: node.items[key] as Node, pair: undefined };
      continue;
    }
    const pair = library.isMap(node)
      ? node.items.find((item) => sourceOf(item.key) === String(key))
      : undefined;
    if (!pair) break;
    found = { depth: depth + 1, node: pair.value as Node | null, pair };
  }
  return found;
};

const insert = (text: string, offset: number, piece: string): string =>
  text.slice(0, offset) + piece + text.slice(offset);

/** Just behind the colon of a pair. */
const afterColon = (text: string, pair: Pair): number =>
  text.indexOf(':', (pair.key as Node).range?.[1] ?? 0) + 1;

const endOfLine = (text: string, offset: number): number => {
  const end = text.indexOf('\n', offset);
  if (end === -1) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
};

const columnOf = (text: string, node: unknown): number => {
  const offset = (node as Node).range?.[0] ?? 0;
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
};

/** The rest of the path and the value, one key a line. */
const blockText = (keys: ConfigPath, value: unknown, layout: { indent: number; eol: string }) =>
  keys
    .map((key, index) => {
      const line = `${' '.repeat(layout.indent + 2 * index)}${flowText(String(key))}:`;
      return index === keys.length - 1 ? `${line} ${flowText(value)}` : line;
    })
    .join(layout.eol);

/** The same between braces. */
const pairText = (keys: ConfigPath, value: unknown): string => {
  const inner = keys
    .slice(1)
    .reduceRight<unknown>((below, key) => ({ [String(key)]: below }), value);
  return `${flowText(String(keys[0]))}: ${flowText(inner)}`;
};

const isEmpty = (library: Library, node: Node | null): boolean =>
  node === null || (library.isScalar(node) && node.value === null && !node.source);

const replaceValue = (text: string, { node, pair }: Found, value: unknown): string => {
  const [start, end] = node?.range ?? [0, 0];
  if (pair && start === end) return insert(text, afterColon(text, pair), ` ${flowText(value)}`);
  // The range of a block ends where the next line begins.
  const old = text.slice(start, end).trimEnd();
  return text.slice(0, start) + flowText(value) + text.slice(start + old.length);
};

const appendToFile = (text: string, keys: ConfigPath, value: unknown): string => {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' || text.endsWith('\n') ? '' : eol;
  return `${text}${gap}${blockText(keys, value, { indent: 0, eol })}${eol}`;
};

/** Directly below the key of the mapping: further down, notes on other settings may follow. */
const insertBelow = (
  text: string,
  { pair, first }: { pair: Pair; first: unknown },
  { path, value }: Setting,
): string => {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const indent = first ? columnOf(text, first) : columnOf(text, pair.key) + 2;
  const offset = endOfLine(text, afterColon(text, pair));
  return insert(text, offset, eol + blockText(path, value, { indent, eol }));
};

/** `undefined` when there is no safe place for the value. The caller checks the outcome. */
export const spliceSetting = async (
  text: string,
  document: Document,
  { path, value }: Setting,
): Promise<string | undefined> => {
  const library = await import('yaml');
  const found = follow(library, document, path);
  const keys = path.slice(found.depth);
  const { node, pair } = found;
  if (keys.length === 0) return replaceValue(text, found, value);
  if (library.isMap(node) && node.flow) {
    const offset = text.indexOf('{', node.range?.[0] ?? 0) + 1;
    return insert(text, offset, ` ${pairText(keys, value)}${node.items.length > 0 ? ',' : ' '}`);
  }
  if (!library.isMap(node) && !isEmpty(library, node)) return undefined;
  if (!pair) return found.depth === 0 ? appendToFile(text, keys, value) : undefined;
  const first = library.isMap(node) ? node.items[0]?.key : undefined;
  return insertBelow(text, { pair, first }, { path: keys, value });
};
