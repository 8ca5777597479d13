/**
 * Inserts one value into the text of a configuration file and leaves every other character as it is. The
 * YAML library can write documents, but moves comments.
 */
import type { Document, Node, Pair } from 'yaml';
import type { ConfigPath } from '../document/config-shape.ts';

export interface Setting {
  readonly path: ConfigPath;
  readonly value: unknown;
}

interface Target {
  /** How many keys of the path exist. */
  readonly depth: number;
  readonly node: Node | null;
  /** The pair that has `node` as its value; absent for the root and for items of a list. */
  readonly pair: Pair | undefined;
}

type Library = typeof import('yaml');

const sourceOf = (key: unknown): string => {
  const { source, value } = key as { source?: string; value?: unknown };
  return source ?? String(value);
};

const follow = (library: Library, document: Document, path: ConfigPath): Target => {
  let target: Target = { depth: 0, node: document.contents, pair: undefined };
  for (const key of path) {
    const { node, depth } = target;
    if (library.isSeq(node) && typeof key === 'number' && key < node.items.length) {
      target = { depth: depth + 1, node: node.items[key] as Node, pair: undefined };
      continue;
    }
    const pair = library.isMap(node)
      ? node.items.find((item) => sourceOf(item.key) === String(key))
      : undefined;
    if (!pair) break;
    target = { depth: depth + 1, node: pair.value as Node | null, pair };
  }
  return target;
};

const insert = (text: string, offset: number, piece: string): string =>
  text.slice(0, offset) + piece + text.slice(offset);

/** Finds the offset behind the colon of a pair. */
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

/** Writes the rest of the path and the value, one key on each line. */
const blockText = (keys: ConfigPath, value: unknown, layout: { indent: number; eol: string }) =>
  keys
    .map((key, index) => {
      const line = `${' '.repeat(layout.indent + 2 * index)}${flowText(String(key))}:`;
      return index === keys.length - 1 ? `${line} ${flowText(value)}` : line;
    })
    .join(layout.eol);

/** Writes the same for a mapping in braces. */
const pairText = (keys: ConfigPath, value: unknown): string => {
  const inner = keys
    .slice(1)
    .reduceRight<unknown>((below, key) => ({ [String(key)]: below }), value);
  return `${flowText(String(keys[0]))}: ${flowText(inner)}`;
};

const isEmpty = (library: Library, node: Node | null): boolean =>
  node === null || (library.isScalar(node) && node.value === null && !node.source);

const replaceValue = (text: string, { node, pair }: Target, value: unknown): string => {
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

/** Inserts directly below the key of the mapping: further down, comments on other settings may follow. */
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

/** Returns `undefined` when the value cannot be inserted safely. The caller checks the result. */
export const spliceSetting = async (
  text: string,
  document: Document,
  { path, value }: Setting,
): Promise<string | undefined> => {
  const library = await import('yaml');
  const target = follow(library, document, path);
  const keys = path.slice(target.depth);
  const { node, pair } = target;
  if (keys.length === 0) return replaceValue(text, target, value);
  if (library.isMap(node) && node.flow) {
    const offset = text.indexOf('{', node.range?.[0] ?? 0) + 1;
    return insert(text, offset, ` ${pairText(keys, value)}${node.items.length > 0 ? ',' : ' '}`);
  }
  if (!library.isMap(node) && !isEmpty(library, node)) return undefined;
  if (!pair) return target.depth === 0 ? appendToFile(text, keys, value) : undefined;
  const first = library.isMap(node) ? node.items[0]?.key : undefined;
  return insertBelow(text, { pair, first }, { path: keys, value });
};

const PLAIN = /^[A-Za-z./][\w./-]*$/;
const NOT_TEXT = /^(?:true|false|null|\.inf|\.nan)$/i;

/** Writes a value as YAML on one line. JSON is YAML; quotes are omitted where possible. */
export const flowText = (value: unknown): string => {
  if (typeof value === 'string' && PLAIN.test(value) && !NOT_TEXT.test(value)) return value;
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `${flowText(key)}: ${flowText(item)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
};
