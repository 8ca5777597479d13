/**
 * Shows values of an input to an approver: exact, with their type, nothing invisible, broken before the
 * terminal does it.
 */
import { isRecord } from '../../kit/data/is-record.ts';
import { visibleText } from '../../kit/text/visible-text.ts';

/** Counts anything but ASCII as two columns, so that the terminal itself never wraps a line. */
const columnsOf = (character: string): number => (character.charCodeAt(0) < 0x80 ? 1 : 2);

/** Breaks a line. The rest starts with a mark, so that it cannot pose as a line of the page. */
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

/** Longer values are cut in the middle, and the cut says how much it hides. */
const HEAD = 300;
const TAIL = 100;

const cut = (text: string): string => {
  const hidden = text.length - HEAD - TAIL;
  if (hidden <= 0) return text;
  const count = hidden.toLocaleString('en-US');
  return `${text.slice(0, HEAD)}⟨ ${count} characters are not shown here ⟩${text.slice(-TAIL)}`;
};

/** Lists every value with its whole path. */
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

/** Lists the values that differ, removed ones first. Empty when both inputs are the same. */
export const inputDifference = (before: unknown, after: unknown): readonly string[] => {
  const was = new Map(leavesOf('', before));
  const is = new Map(leavesOf('', after));
  return [
    ...[...was].filter(([path, shown]) => is.get(path) !== shown).map((leaf) => lineOf('-', leaf)),
    ...[...is].filter(([path, shown]) => was.get(path) !== shown).map((leaf) => lineOf('+', leaf)),
  ];
};

/** Puts a string between quotes, on one line. Quotes inside are escaped, so that its end is plain. */
const quoted = (text: string): string =>
  `"${visibleText(text)
    .replace(/(\\*)"/g, '$1$1\\"')
    .replace(/\\+$/, '$&$&')}"`;

const keyOf = (key: string): string => (/^[A-Za-z_][\w-]*$/.test(key) ? key : quoted(key));

/** Lists the children of an object or a list, as name and value; none for anything else. */
export const childrenOf = (value: unknown): readonly (readonly [string, unknown])[] => {
  if (Array.isArray(value)) return value.map((item, at) => [`- ${at + 1}`, item] as const);
  return isRecord(value)
    ? Object.entries(value).map(([key, item]) => [keyOf(key), item] as const)
    : [];
};

/** Shows a value that has no children. */
export const shownScalar = (value: unknown): string => {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return '[]';
  return isRecord(value) ? '{}' : String(value);
};
