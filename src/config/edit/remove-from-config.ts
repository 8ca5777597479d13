/**
 * Removes one setting from a configuration file. Comments, order and layout of the rest stay; the result
 * is checked before it replaces the file.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Node, Pair, YAMLMap } from 'yaml';
import { isRecord } from '../../kit/data/is-record.ts';
import { replaceFile } from '../../kit/file/replace-file.ts';
import { ConfigError } from '../config-error.ts';
import type { Tree } from '../document/config-tree.ts';
import { composeYaml, parseConfigText } from '../load/parse-config-text.ts';
import { readConfigText } from '../load/read-config-file.ts';
import type { ConfigEdit } from './edit-config.ts';

type Path = readonly string[];

const keyOf = ({ key }: Pair): string => String((key as { value?: unknown } | null)?.value ?? key);

/** Removes the setting from the data; returns `undefined` when it is absent. */
const without = (data: unknown, [key, ...rest]: Path): Tree | undefined => {
  if (key === undefined || !isRecord(data) || !Object.hasOwn(data, key)) return undefined;
  const { [key]: old, ...others } = data;
  if (rest.length === 0) return others;
  const below = without(old, rest);
  return below && { ...data, [key]: below };
};

const cutFlow = (text: string, map: YAMLMap, at: number): string => {
  const startOf = (pair: unknown): number => ((pair as Pair).key as Node).range?.[0] ?? 0;
  const close = text.lastIndexOf('}', (map.range?.[1] ?? 1) - 1);
  const next = map.items[at + 1];
  const before = map.items[at - 1]?.value as Node | null | undefined;
  if (next) return text.slice(0, startOf(map.items[at])) + text.slice(startOf(next));
  const from = before?.range?.[1] ?? text.indexOf('{', map.range?.[0] ?? 0) + 1;
  return `${text.slice(0, from)} ${text.slice(close)}`.replace('{ }', '{}');
};

/** Cuts whole lines, from the key to the end of its value; the last key leaves `{}`. */
const cutBlock = (text: string, map: YAMLMap, at: number): string => {
  const pair = map.items[at] as Pair<Node, Node | null>;
  const keyStart = pair.key.range?.[0] ?? 0;
  const last = pair.value?.range?.[1] ?? pair.key.range?.[1] ?? keyStart;
  const trimmed = text.slice(0, last).trimEnd().length;
  if (map.items.length === 1) return `${text.slice(0, keyStart)}{}${text.slice(trimmed)}`;
  const lineStart = text.lastIndexOf('\n', keyStart - 1) + 1;
  const lineEnd = text.indexOf('\n', trimmed);
  return text.slice(0, lineStart) + (lineEnd === -1 ? '' : text.slice(lineEnd + 1));
};

const cut = async (text: string, path: Path): Promise<string | undefined> => {
  const { isMap } = await import('yaml');
  const { document } = await composeYaml(text);
  let node: unknown = document?.contents;
  for (const [depth, key] of path.entries()) {
    if (!isMap(node)) return undefined;
    const at = node.items.findIndex((pair) => keyOf(pair) === key);
    if (at === -1) return undefined;
    if (depth < path.length - 1) node = node.items[at]?.value;
    else return node.flow ? cutFlow(text, node, at) : cutBlock(text, node, at);
  }
  return undefined;
};

/**
 * Returns `undefined` when the file does not have the setting. Throws `ConfigError` and leaves the file as
 * it is when it is invalid, or cannot be changed without harm to the rest.
 */
export const removeFromConfigFile = async (
  file: string,
  path: Path,
): Promise<ConfigEdit | undefined> => {
  const { text = '', fault } = await readConfigText(file);
  if (fault !== undefined) throw new ConfigError([{ file, path: '', message: fault }]);
  const before = await parseConfigText(text);
  if (before.problems.length > 0) {
    throw new ConfigError(before.problems.map((problem) => ({ file, ...problem })));
  }
  const expected = without(before.value, path);
  if (!expected) return undefined;
  const after = await cut(text, path);
  const parsed = after === undefined ? undefined : await parseConfigText(after);
  if (after === undefined || !isDeepStrictEqual(parsed?.value, expected)) {
    const message = 'cannot be taken out without harm to the rest; edit it by hand';
    throw new ConfigError([{ file, path: path.join('.'), message }]);
  }
  await replaceFile(file, after);
  return { before: text, after };
};
