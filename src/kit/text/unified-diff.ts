/** The difference of two texts by lines, in the unified form that people and programs read. */
import { type StructuredPatchHunk, structuredPatch } from 'diff';
import { linesOf } from './lines-of.ts';

export interface TextDiff {
  /** The hunks, without names of files; empty when the texts are equal. */
  readonly hunks: string;
  readonly additions: number;
  readonly deletions: number;
}

const CONTEXT = 3;
/** Beyond this many differing lines the changed part is shown as replaced as a whole. */
const MAX_CHANGES = 1000;
const NO_LINE_END = '\\ No newline at end of file';

const sharedStart = (a: readonly string[], b: readonly string[]): number => {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
};

const marked = (mark: '-' | '+', lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) =>
    line.endsWith('\n') ? [`${mark}${line.slice(0, -1)}`] : [`${mark}${line}`, NO_LINE_END],
  );

/** Makes one hunk of everything between the first and the last change, for texts with little in common. */
const wholeHunk = (before: string, after: string): StructuredPatchHunk => {
  const [a, b] = [linesOf(before), linesOf(after)];
  const start = sharedStart(a, b);
  const [restA, restB] = [a.slice(start), b.slice(start)];
  const end = sharedStart(restA.toReversed(), restB.toReversed());
  const old = restA.slice(0, restA.length - end);
  const made = restB.slice(0, restB.length - end);
  return {
    oldStart: start + 1,
    oldLines: old.length,
    newStart: start + 1,
    newLines: made.length,
    lines: [...marked('-', old), ...marked('+', made)],
  };
};

const hunksOf = (before: string, after: string): readonly StructuredPatchHunk[] => {
  const options = { context: CONTEXT, maxEditLength: MAX_CHANGES };
  const patch = structuredPatch('', '', before, after, '', '', options);
  return patch ? patch.hunks : [wholeHunk(before, after)];
};

/** Writes a range. An empty one is named by the line before it, as `diff -u` does. */
const range = (start: number, length: number): string =>
  `${length === 0 ? start - 1 : start},${length}`;

const written = ({ oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk): string =>
  `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@\n${lines.join('\n')}\n`;

const count = (hunks: readonly StructuredPatchHunk[], mark: '-' | '+'): number =>
  hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line[0] === mark).length, 0);

/** Compares two texts line by line. Bounded: texts with nothing in common cost no more than reading them. */
export const diffTexts = (before: string, after: string): TextDiff => {
  const hunks = before === after ? [] : hunksOf(before, after);
  return {
    hunks: hunks.map(written).join(''),
    additions: count(hunks, '+'),
    deletions: count(hunks, '-'),
  };
};
