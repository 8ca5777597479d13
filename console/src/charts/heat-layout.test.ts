import { describe, expect, it } from 'vitest';
import { bandName, HEAT_LEVELS, layOut, neighbourOf } from './heat-layout.ts';

const MINUTE = 60_000;
const heat = (...cells: { start: number; overMs?: number; upToMs?: number; calls: number }[]) => ({
  from: 0,
  to: 10 * MINUTE,
  columnMs: MINUTE,
  cells,
});

describe('the layout of a heat map', () => {
  const fast = { start: 0, overMs: 1.024, upToMs: 2.048, calls: 100 };
  const slow = { start: 3 * MINUTE, overMs: 8.192, upToMs: 16.384, calls: 1 };

  it('puts long durations on top, and leaves no row out between the shortest and the longest', () => {
    const { columns, rows, cells } = layOut(heat(fast, slow));
    expect(columns).toBe(10);
    expect(rows.map(({ calls }) => calls)).toEqual([1, 0, 0, 100]);
    expect(rows.map(bandName)).toEqual([
      '8.2 ms to 16 ms',
      '4.1 ms to 8.2 ms',
      '2.0 ms to 4.1 ms',
      '1.0 ms to 2.0 ms',
    ]);
    expect(cells.map(({ column, row }) => [column, row])).toEqual([
      [0, 3],
      [3, 0],
    ]);
  });

  it('is palest for one call and darkest for the fullest cell', () => {
    const { cells } = layOut(heat(fast, slow));
    expect(cells.map(({ level }) => level)).toEqual([HEAT_LEVELS, 1]);
    expect(layOut(heat(slow)).cells[0]?.level).toBe(HEAT_LEVELS);
  });

  it('names the outermost rows by their one limit, and has no row without calls', () => {
    const { rows } = layOut(heat({ start: 0, upToMs: 0.002, calls: 1 }));
    expect(rows.map(bandName)).toEqual(['up to 2 µs']);
    const longest = layOut(heat({ start: 0, overMs: 2 ** 31 / 1000, calls: 1 }));
    expect(longest.rows.map(bandName)).toEqual(['over 35.8 min']);
    expect(layOut(heat())).toEqual({ columns: 0, rows: [], cells: [] });
  });

  it('walks with the arrow keys to the nearest cell that has calls', () => {
    const { cells } = layOut(heat(fast, slow, { ...fast, start: 5 * MINUTE }));
    const [first, second, third] = cells as [
      (typeof cells)[0],
      (typeof cells)[0],
      (typeof cells)[0],
    ];
    expect(neighbourOf(cells, first, 'ArrowRight')).toBe(third);
    expect(neighbourOf(cells, first, 'ArrowUp')).toBe(second);
    expect(neighbourOf(cells, first, 'ArrowLeft')).toBeUndefined();
    expect(neighbourOf(cells, first, 'Enter')).toBeUndefined();
  });
});
