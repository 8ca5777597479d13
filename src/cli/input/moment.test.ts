import { describe, expect, it } from 'vitest';
import { readDeadline, readMoment } from './moment.ts';

const NOW = Date.UTC(2026, 10, 15, 12);

describe('readMoment', () => {
  it.each([
    ['90m', NOW - 90 * 60_000],
    ['2h', NOW - 2 * 3_600_000],
    ['7d', NOW - 7 * 86_400_000],
    ['2026-11-14', Date.UTC(2026, 10, 14)],
    ['2026-11-14T10:30Z', Date.UTC(2026, 10, 14, 10, 30)],
    ['2026-11-14 10:30', Date.UTC(2026, 10, 14, 10, 30)],
    ['2026-11-14T10:30:00+02:00', Date.UTC(2026, 10, 14, 8, 30)],
  ])('reads the moment %s', (text, moment) => {
    expect(readMoment('--since', text, NOW)).toBe(moment);
  });

  it.each(['', 'yesterday', '2h30', '2026-13-40', '15', '2026'])('refuses %j', (text) => {
    expect(() => readMoment('--since', text, NOW)).toThrow('--since takes');
  });
});

it.each(['3000', '15'])('the refusal of the bare number %s names a span with its unit', (text) => {
  const refusal = { extras: { suggestions: [expect.stringContaining('3s')] } };
  expect(() => readDeadline('--delay', text, NOW)).toThrow(expect.objectContaining(refusal));
});

describe('readDeadline', () => {
  it('adds a span to now, and takes a date as it is', () => {
    expect(readDeadline('--expires', '8h', NOW)).toBe(NOW + 8 * 3_600_000);
    expect(readDeadline('--expires', '2026-12-01', NOW)).toBe(Date.UTC(2026, 11, 1));
  });

  it.each(['soon', '8', '-8h', '2026-13-01', ''])('refuses %j', (text) => {
    expect(() => readDeadline('--expires', text, NOW)).toThrow('--expires takes a date');
  });
});
