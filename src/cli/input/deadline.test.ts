import { describe, expect, it } from 'vitest';
import { readDeadline } from './deadline.ts';

const NOW = Date.UTC(2026, 10, 15, 12);

describe('readDeadline', () => {
  it('a span goes forward, a date is a date', () => {
    expect(readDeadline('--expires', '8h', NOW)).toBe(NOW + 8 * 3_600_000);
    expect(readDeadline('--expires', '2026-12-01', NOW)).toBe(Date.UTC(2026, 11, 1));
  });

  it.each(['soon', '8', '-8h', '2026-13-01', ''])('refuses %j', (text) => {
    expect(() => readDeadline('--expires', text, NOW)).toThrow('--expires takes a date');
  });
});
