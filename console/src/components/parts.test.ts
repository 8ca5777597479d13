import { describe, expect, it } from 'vitest';
import { lengthText } from './code-block.tsx';
import { lineKind } from './diff-view.tsx';
import {
  bytes,
  count,
  duration,
  exactTime,
  money,
  relativeTime,
  utcDay,
  zoneName,
} from './format.ts';
import { jsonPieces } from './json-view.tsx';
import { nextSort, sortRows } from './sort-rows.ts';

describe('money', () => {
  it('never rounds something down to nothing', () => {
    expect([0, 0.0000012, 0.002, 0.0125, 0.691, 1.5, 1234.5].map(money)).toEqual([
      '$0',
      '$0.000001',
      '$0.002',
      '$0.0125',
      '$0.69',
      '$1.50',
      '$1,234.50',
    ]);
  });
});

describe('times', () => {
  it('reads as people say it', () => {
    expect(utcDay(Date.UTC(2026, 0, 5))).toBe('5 Jan 2026');
    expect(relativeTime(1_000_000, 1_001_000)).toBe('just now');
    expect(relativeTime(0, 65_000)).toBe('1 min ago');
    expect(relativeTime(7_200_000, 0)).toBe('in 2 h');
    expect(relativeTime(0, 40 * 86_400_000)).toBe('1 Jan 1970');
  });

  it('says in which zone an exact moment is', () => {
    const at = Date.UTC(2026, 10, 16, 12);
    expect(zoneName(at)).not.toBe('');
    expect(exactTime(at)).toMatch(/^1\d Nov 2026, \d\d:00:00 /);
    expect(exactTime(at).endsWith(` ${zoneName(at)}`)).toBe(true);
  });

  it('gives sizes the unit that fits', () => {
    expect([0, 999, 1000, 16_777_216, 128_000_000, 5e15].map(bytes)).toEqual([
      ...['0 B', '999 B', '1.0 kB', '16.8 MB', '128 MB', '5000 TB'],
    ]);
  });

  it('gives a duration that rounds up to a whole of the next unit in that unit', () => {
    expect([0.9996, 9.96, 999.6, 59_960, 3_599_000].map(duration)).toEqual([
      ...['1.0 ms', '10 ms', '1.0 s', '1.0 min', '1.0 h'],
    ]);
  });

  it('gives durations the unit that fits', () => {
    expect([0.0042, 4.25, 517, 1500, 90_000].map(duration)).toEqual([
      '4 µs',
      '4.3 ms',
      '517 ms',
      '1.5 s',
      '1.5 min',
    ]);
    expect(count(12_345)).toBe('12,345');
  });
});

describe('sorting', () => {
  it('goes up, down, and back to the order it came in', () => {
    const up = nextSort(undefined, 'a');
    const down = nextSort(up, 'a');
    expect([up, down, nextSort(down, 'a')]).toEqual([
      { id: 'a', direction: 'ascending' },
      { id: 'a', direction: 'descending' },
      undefined,
    ]);
    expect(nextSort(down, 'b')).toEqual({ id: 'b', direction: 'ascending' });
  });

  it('sorts numbers by size and text as people count', () => {
    expect(sortRows([10, 9, 100], (n) => n, 'ascending')).toEqual([9, 10, 100]);
    expect(sortRows(['t10', 'T9', 't1'], (t) => t, 'descending')).toEqual(['t10', 'T9', 't1']);
  });
});

describe('JSON in colours', () => {
  it('loses nothing and tells keys from values', () => {
    const text = JSON.stringify({ 'a"b': 'x: "y"', n: -1.5e-7, t: [true, null] }, null, 2);
    const pieces = jsonPieces(text);
    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
    const of = (kind: string) => pieces.filter((p) => p.kind === kind).map((p) => p.text);
    expect(of('key')).toEqual(['"a\\"b"', '"n"', '"t"']);
    expect(of('string')).toEqual(['"x: \\"y\\""']);
    expect([of('number'), of('word')]).toEqual([['-1.5e-7'], ['true', 'null']]);
  });
});

describe('threat: a text padded so that its end is out of sight', () => {
  it('says how long it is', () => {
    expect(lengthText(`echo ok${'\n'.repeat(300)}rm -rf /`)).toBe('301 lines, 315 characters');
    expect(lengthText(' '.repeat(2000))).toBe('1 line, 2,000 characters');
    expect([lengthText(''), lengthText('one\ntwo')]).toEqual(['', '']);
  });
});

describe('a line of a diff', () => {
  it('is told by how it begins', () => {
    expect(['--- was', '+++ now', '@@ -1 +1 @@', '+a', '-b', ' c'].map(lineKind)).toEqual([
      'hunk',
      'hunk',
      'hunk',
      'add',
      'del',
      'same',
    ]);
  });

  it('threat: a line that looks like a heading below the heading is still one that came or went', () => {
    const diff = ['--- was', '+++ now', '@@ -1 +1 @@', '+++ rm -rf /', '--- -- careful'];
    expect(diff.map(lineKind).slice(3)).toEqual(['add', 'del']);
  });
});
