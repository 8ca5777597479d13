import { describe, expect, it } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

const lines = (text: string): readonly string[] => (text === '' ? [] : text.split(' '));

describe('unifiedDiff', () => {
  it('is empty for the same lines', () => {
    expect(unifiedDiff(lines('a b'), lines('a b'))).toEqual([]);
    expect(unifiedDiff([], [])).toEqual([]);
  });

  it('shows what goes and what comes, with three lines around', () => {
    expect(unifiedDiff(lines('1 2 3 4 5 6 7 8 9'), lines('1 2 3 4 x 6 7 8 9'))).toEqual([
      '@@ -2,7 +2,7 @@',
      ' 2',
      ' 3',
      ' 4',
      '-5',
      '+x',
      ' 6',
      ' 7',
      ' 8',
    ]);
  });

  it('counts from nothing and to nothing', () => {
    expect(unifiedDiff([], lines('a b'))).toEqual(['@@ -0,0 +1,2 @@', '+a', '+b']);
    expect(unifiedDiff(lines('a b'), [])).toEqual(['@@ -1,2 +0,0 @@', '-a', '-b']);
  });

  it('keeps changes that are far apart in pieces of their own', () => {
    const before = Array.from({ length: 40 }, (_, at) => `line ${at}`);
    const after = before.map((line, at) => (at === 2 || at === 35 ? `${line}!` : line));
    expect(unifiedDiff(before, after).filter((line) => line.startsWith('@@'))).toEqual([
      '@@ -1,6 +1,6 @@',
      '@@ -33,7 +33,7 @@',
    ]);
  });

  it('can be put on again: what it shows is all that changed', () => {
    const before = lines('a b c d e f g h a b c');
    const after = lines('b c x d f g a h b y c c');
    const kept = (mark: string) =>
      unifiedDiff(before, after)
        .filter((line) => !line.startsWith('@@') && !line.startsWith(mark))
        .map((line) => line.slice(1));
    expect(kept('+')).toEqual(before);
    expect(kept('-')).toEqual(after);
  });

  it('stays within bounds on two texts that have nothing in common', () => {
    const before = Array.from({ length: 5_000 }, (_, at) => `a${at}`);
    const after = Array.from({ length: 5_000 }, (_, at) => `b${at}`);
    expect(unifiedDiff(before, after)).toHaveLength(10_001);
  });
});
