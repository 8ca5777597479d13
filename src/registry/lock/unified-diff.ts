/** What changed between two lists of lines, in the unified form that people and tools read. */

const CONTEXT = 3;
/** Beyond so many comparisons the middle is shown as replaced altogether. */
const MOST_COMPARISONS = 4_000_000;

interface Edit {
  readonly mark: ' ' | '-' | '+';
  readonly line: string;
}

type Lines = readonly string[];

const edits = (mark: Edit['mark'], lines: Lines): readonly Edit[] =>
  lines.map((line) => ({ mark, line }));

/** Lengths of the longest common parts of all tails, row by row. */
const tailLengths = (before: Lines, after: Lines): readonly Uint32Array[] => {
  const rows = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i -= 1) {
    const row = rows[i] as Uint32Array;
    const next = rows[i + 1] as Uint32Array;
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const same = before[i] === after[j];
      row[j] = same ? (next[j + 1] ?? 0) + 1 : Math.max(next[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return rows;
};

const middleEdits = (before: Lines, after: Lines): readonly Edit[] => {
  if (before.length * after.length > MOST_COMPARISONS) {
    return [...edits('-', before), ...edits('+', after)];
  }
  const rows = tailLengths(before, after);
  const found: Edit[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      found.push({ mark: ' ', line: before[i] ?? '' });
      i += 1;
      j += 1;
    } else if ((rows[i + 1]?.[j] ?? 0) >= (rows[i]?.[j + 1] ?? 0)) {
      found.push({ mark: '-', line: before[i] ?? '' });
      i += 1;
    } else {
      found.push({ mark: '+', line: after[j] ?? '' });
      j += 1;
    }
  }
  return [...found, ...edits('-', before.slice(i)), ...edits('+', after.slice(j))];
};

const allEdits = (before: Lines, after: Lines): readonly Edit[] => {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return [
    ...edits(' ', before.slice(0, head)),
    ...middleEdits(
      before.slice(head, before.length - tail),
      after.slice(head, after.length - tail),
    ),
    ...edits(' ', before.slice(before.length - tail)),
  ];
};

/** Stretches of edits with some lines around each. */
const stretches = (all: readonly Edit[]): readonly (readonly [from: number, to: number])[] => {
  const found: [number, number][] = [];
  for (const [at, { mark }] of all.entries()) {
    if (mark === ' ') continue;
    const from = Math.max(0, at - CONTEXT);
    const to = Math.min(all.length, at + CONTEXT + 1);
    const last = found.at(-1);
    if (last && from <= last[1]) last[1] = to;
    else found.push([from, to]);
  }
  return found;
};

const count = (all: readonly Edit[], mark: '-' | '+'): number =>
  all.filter((edit) => edit.mark === ' ' || edit.mark === mark).length;

/** Empty when both are the same. */
export const unifiedDiff = (before: Lines, after: Lines): Lines => {
  const all = allEdits(before, after);
  return stretches(all).flatMap(([from, to]) => {
    const earlier = all.slice(0, from);
    const part = all.slice(from, to);
    const range = (mark: '-' | '+'): string => {
      const size = count(part, mark);
      return `${mark}${count(earlier, mark) + (size > 0 ? 1 : 0)},${size}`;
    };
    const lines = part.map(({ mark, line }) => `${mark}${line}`);
    return [`@@ ${range('-')} ${range('+')} @@`, ...lines];
  });
};
