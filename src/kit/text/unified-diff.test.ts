/** The diff is right when applying it to the old text gives the new one, for any two texts. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffTexts } from './unified-diff.ts';

const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** A strict `patch`: every line and every number in the diff must be right. */
const apply = (text: string, diff: string): string => {
  const old = linesOf(text);
  const result: string[] = [];
  let at = 0;
  const body = linesOf(diff);
  for (let i = 0; i < body.length; i += 1) {
    const line = body[i] as string;
    const head = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n$/.exec(line);
    if (head) {
      const [start, length, newStart, newLength] = head.slice(1).map(Number) as number[];
      const from = length === 0 ? (start as number) : (start as number) - 1;
      result.push(...old.slice(at, from));
      at = from;
      expect(result.length).toBe(newLength === 0 ? newStart : (newStart as number) - 1);
      continue;
    }
    const bare = body[i + 1]?.startsWith('\\') ? line.slice(1, -1) : line.slice(1);
    if (body[i + 1]?.startsWith('\\')) i += 1;
    if (line[0] !== '+') expect(old[at]).toBe(bare);
    if (line[0] !== '-') result.push(bare);
    if (line[0] !== '+') at += 1;
  }
  return [...result, ...old.slice(at)].join('');
};

describe('diffTexts', () => {
  it('reads like diff -u', () => {
    const before = 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n';
    const after = 'a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n';
    expect(diffTexts(before, after)).toEqual({
      hunks: [
        '@@ -1,5 +1,5 @@',
        ' a',
        '-b',
        '+B',
        ' c',
        ' d',
        ' e',
        '@@ -9,3 +9,4 @@',
        ' i',
        ' j',
        ' k',
        '+l',
        '',
      ].join('\n'),
      additions: 2,
      deletions: 1,
    });
  });

  it('marks a missing line end, and counts from nothing', () => {
    expect(diffTexts('', 'a').hunks).toBe('@@ -0,0 +1,1 @@\n+a\n\\ No newline at end of file\n');
    expect(diffTexts('a\n', '').hunks).toBe('@@ -1,1 +0,0 @@\n-a\n');
  });

  it('gives no hunks for equal texts', () => {
    expect(diffTexts('a\nb', 'a\nb')).toEqual({ hunks: '', additions: 0, deletions: 0 });
  });

  it('gives a patch that turns the first of two random texts into the second', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '', 'x\r'), { maxLength: 30 })
      .chain((lines) => fc.constantFrom(lines.join('\n'), `${lines.join('\n')}\n`));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { hunks: diff, additions, deletions } = diffTexts(before, after);
        expect(diff === '' ? before : apply(before, diff)).toBe(after);
        expect(linesOf(before).length + additions - deletions).toBe(linesOf(after).length);
      }),
      { numRuns: 1000 },
    );
  });

  it('finds the shortest difference', () => {
    const { additions, deletions } = diffTexts('a\nb\nc\na\nb\nb\na\n', 'c\nb\na\nb\na\nc\n');
    expect(additions + deletions).toBe(5);
  });

  it('stays quick on texts that have nothing in common', { timeout: 5000 }, () => {
    const before = Array.from({ length: 20_000 }, (_, n) => `old ${n}\n`).join('');
    const after = Array.from({ length: 20_000 }, (_, n) => `new ${n}\n`).join('');
    const { hunks: diff, additions, deletions } = diffTexts(before, after);
    expect([additions, deletions]).toEqual([20_000, 20_000]);
    expect(apply(before, diff)).toBe(after);
  });
});
