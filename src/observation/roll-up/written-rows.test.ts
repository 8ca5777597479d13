import { expect, it } from 'vitest';
import { auditEntry } from '../../../test/conformance/store-samples.ts';
import { WrittenRows } from './written-rows.ts';

const entries = (count: number) =>
  Array.from({ length: count }, () => auditEntry({ kind: 'outcome', status: 'success' }));

const callsIn = (rows: WrittenRows, after: number): number | undefined => {
  rows.forgetUpTo(after);
  const run = rows.take(after + 1);
  const overall = run?.counter.rollUps().find(({ kind }) => kind === 'overall');
  return run && overall?.counts.byStatus.success;
};

it('WrittenRows joins rows that follow each other, in whatever order they come', () => {
  const rows = new WrittenRows();
  rows.note(1, entries(2));
  rows.note(10, entries(1));
  rows.note(3, entries(2));
  expect(rows.first).toBe(1);
  expect(callsIn(rows, 0)).toBe(4);
  expect(rows.first).toBe(10);
  expect(callsIn(rows, 9)).toBe(1);
  expect(rows.first).toBe(Number.POSITIVE_INFINITY);
});

it('WrittenRows gives nothing of a run whose first rows are counted already', () => {
  const rows = new WrittenRows();
  rows.note(1, entries(5));
  expect(callsIn(rows, 3)).toBeUndefined();
  expect(callsIn(rows, 0)).toBeUndefined();
});

it('WrittenRows counts no row that the store has counted before', () => {
  const rows = new WrittenRows();
  rows.forgetUpTo(3);
  rows.note(1, entries(2));
  expect(rows.first).toBe(Number.POSITIVE_INFINITY);
  rows.note(3, entries(4));
  expect([rows.first, rows.last]).toEqual([4, 6]);
  expect(callsIn(rows, 3)).toBe(3);
});

it('WrittenRows forgets everything when there are too many rows or runs', () => {
  const rows = new WrittenRows();
  const many = entries(1000);
  for (let n = 0; n < 200; n++) rows.note(1 + n * 1000, many);
  expect(rows.first).toBe(1);
  rows.note(200_001, entries(1));
  expect(rows.first).toBe(200_001);
  for (let n = 1; n <= 33; n++) rows.note(200_001 + 2 * n, entries(1));
  expect(rows.first).toBe(200_001 + 2 * 33);
});
