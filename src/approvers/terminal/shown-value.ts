/** A value of an input as an approver reads it: exact, with its type, nothing in it invisible. */

import { isRecord } from '../../kit/data/is-record.ts';
import { visibleText } from '../../kit/text/visible-text.ts';

/** Anything but ASCII counts as two columns, so that no line is ever wrapped by the terminal itself. */
const columnsOf = (character: string): number => (character.charCodeAt(0) < 0x80 ? 1 : 2);

/** The rest of a broken line starts with a mark, so that it cannot pose as a line of its own. */
export const wrapLine = (line: string, width: number): readonly string[] => {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const character of line) {
    const columns = columnsOf(character);
    if (used + columns > width) {
      pieces.push(piece);
      piece = '↪ ';
      used = 3;
    }
    piece += character;
    used += columns;
  }
  return [...pieces, piece];
};

/** More of one value than this is cut in the middle, and the cut says what it hides. */
const HEAD = 300;
const TAIL = 100;

const cut = (text: string): string => {
  const hidden = text.length - HEAD - TAIL;
  if (hidden <= 0) return text;
  const count = hidden.toLocaleString('en-US');
  return `${text.slice(0, HEAD)}⟨ ${count} characters are not shown here ⟩${text.slice(-TAIL)}`;
};

/** Every value under its whole path. */
const leavesOf = (
  path: string,
  value: unknown,
): readonly (readonly [path: string, shown: string])[] => {
  const children = childrenOf(value);
  if (children.length === 0) return [[path, shownScalar(value)]];
  return children.flatMap(([key, item]) => leavesOf(path === '' ? key : `${path} › ${key}`, item));
};

const lineOf = (mark: string, [path, shown]: readonly [string, string]): string =>
  `${mark} ${path === '' ? 'value' : path}: ${cut(shown)}`;

/** Empty when both are the same. */
export const inputDifference = (before: unknown, after: unknown): readonly string[] => {
  const was = new Map(leavesOf('', before));
  const is = new Map(leavesOf('', after));
  return [
    ...[...was].filter(([path, shown]) => is.get(path) !== shown).map((leaf) => lineOf('-', leaf)),
    ...[...is].filter(([path, shown]) => was.get(path) !== shown).map((leaf) => lineOf('+', leaf)),
  ];
};

/** A string on one line between quotes; a quote inside is escaped, so that it ends where it ends. */
const quoted = (text: string): string =>
  `"${visibleText(text)
    .replace(/(\\*)"/g, '$1$1\\"')
    .replace(/\\+$/, '$&$&')}"`;

const keyOf = (key: string): string => (/^[A-Za-z_][\w-]*$/.test(key) ? key : quoted(key));

/** The children of an object or a list, as name and value; nothing for anything else. */
export const childrenOf = (value: unknown): readonly (readonly [string, unknown])[] => {
  if (Array.isArray(value)) return value.map((item, at) => [`- ${at + 1}`, item] as const);
  return isRecord(value)
    ? Object.entries(value).map(([key, item]) => [keyOf(key), item] as const)
    : [];
};

/** Of a value that has no children. */
export const shownScalar = (value: unknown): string => {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return '[]';
  return isRecord(value) ? '{}' : String(value);
};
