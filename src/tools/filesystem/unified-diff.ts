/** The difference of two texts by lines, as a unified diff (Myers' algorithm, bounded). */
import { linesOf } from './text-content.ts';

export interface TextDiff {
  /** Empty when the texts are equal. */
  readonly diff: string;
  readonly additions: number;
  readonly deletions: number;
}

interface Step {
  readonly mark: ' ' | '-' | '+';
  readonly line: string;
}

const CONTEXT = 3;
/** Beyond this many differing lines the changed part is shown as replaced as a whole. */
const MOST_CHANGES = 1000;

/** How far each diagonal got after 0, 1, 2 … changes; `undefined` when there are too many. */
const forward = (a: readonly string[], b: readonly string[]): Int32Array[] | undefined => {
  const most = Math.min(a.length + b.length, MOST_CHANGES);
  const reach = new Int32Array(2 * most + 3);
  const at = (k: number) => k + most + 1;
  const trace: Int32Array[] = [];
  for (let changes = 0; changes <= most; changes += 1) {
    trace.push(reach.slice());
    for (let k = -changes; k <= changes; k += 2) {
      const [below, above] = [reach[at(k - 1)] ?? 0, reach[at(k + 1)] ?? 0];
      let x = k === -changes || (k !== changes && below < above) ? above : below + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      reach[at(k)] = x;
      if (x >= a.length && x - k >= b.length) return trace;
    }
  }
  return undefined;
};

/** The shortest way from one list of lines to the other. */
const stepsBetween = (a: readonly string[], b: readonly string[]): Step[] => {
  const trace = forward(a, b);
  if (!trace) {
    return [
      ...a.map((line): Step => ({ mark: '-', line })),
      ...b.map((line): Step => ({ mark: '+', line })),
    ];
  }
  const middle = ((trace[0]?.length ?? 3) - 1) / 2;
  const steps: Step[] = [];
  let [x, y] = [a.length, b.length];
  for (let changes = trace.length - 1; changes >= 0; changes -= 1) {
    const reach = trace[changes] as Int32Array;
    const k = x - y;
    const [below, above] = [reach[k - 1 + middle] ?? 0, reach[k + 1 + middle] ?? 0];
    const down = k === -changes || (k !== changes && below < above);
    const from = changes === 0 ? 0 : down ? above : below;
    const fromY = changes === 0 ? 0 : from - (down ? k + 1 : k - 1);
    for (; x > from && y > fromY; x -= 1, y -= 1)
      steps.push({ mark: ' ', line: a[x - 1] as string });
    if (changes === 0) break;
    steps.push(
      down ? { mark: '+', line: b[fromY] as string } : { mark: '-', line: a[from] as string },
    );
    [x, y] = [from, fromY];
  }
  return steps.reverse();
};

const commonStart = (a: readonly string[], b: readonly string[]): number => {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
};

const allSteps = (a: readonly string[], b: readonly string[]): Step[] => {
  const start = commonStart(a, b);
  const [restA, restB] = [a.slice(start), b.slice(start)];
  const end = commonStart([...restA].reverse(), [...restB].reverse());
  const same = (line: string): Step => ({ mark: ' ', line });
  return [
    ...a.slice(0, start).map(same),
    ...stepsBetween(restA.slice(0, restA.length - end), restB.slice(0, restB.length - end)),
    ...restA.slice(restA.length - end).map(same),
  ];
};

/** The runs of steps worth showing: changes with a few lines around them. */
const hunksOf = (steps: readonly Step[]): [from: number, to: number][] => {
  const hunks: [number, number][] = [];
  steps.forEach(({ mark }, index) => {
    if (mark === ' ') return;
    const [from, to] = [Math.max(0, index - CONTEXT), Math.min(steps.length, index + CONTEXT + 1)];
    const last = hunks.at(-1);
    if (last && from <= last[1]) last[1] = to;
    else hunks.push([from, to]);
  });
  return hunks;
};

/** Old and new lines among some steps. */
const countLines = (steps: readonly Step[]): { readonly old: number; readonly new: number } => ({
  old: steps.filter(({ mark }) => mark !== '+').length,
  new: steps.filter(({ mark }) => mark !== '-').length,
});

/** An empty range is named by the line before it, as `diff -u` does. */
const range = (before: number, length: number): string =>
  `${length === 0 ? before : before + 1},${length}`;

const written = ({ mark, line }: Step): string =>
  line.endsWith('\n') ? `${mark}${line}` : `${mark}${line}\n\\ No newline at end of file\n`;

const writeHunks = (steps: readonly Step[]): string => {
  let [done, oldLine, newLine] = [0, 0, 0];
  let text = '';
  for (const [from, to] of hunksOf(steps)) {
    const skipped = countLines(steps.slice(done, from));
    const shown = steps.slice(from, to);
    const lines = countLines(shown);
    [oldLine, newLine] = [oldLine + skipped.old, newLine + skipped.new];
    text += `@@ -${range(oldLine, lines.old)} +${range(newLine, lines.new)} @@\n`;
    text += shown.map(written).join('');
    [done, oldLine, newLine] = [to, oldLine + lines.old, newLine + lines.new];
  }
  return text;
};

export const unifiedDiff = (path: string, before: string, after: string): TextDiff => {
  const steps = allSteps(linesOf(before), linesOf(after));
  const additions = steps.filter(({ mark }) => mark === '+').length;
  const deletions = steps.filter(({ mark }) => mark === '-').length;
  if (additions + deletions === 0) return { diff: '', additions, deletions };
  return { diff: `--- a/${path}\n+++ b/${path}\n${writeHunks(steps)}`, additions, deletions };
};
