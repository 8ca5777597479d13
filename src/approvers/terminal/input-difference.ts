/** What an approver changed in an input, line by line: what goes is marked `-`, what comes `+`. */
import { childrenOf, shownScalar } from './shown-value.ts';

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
