import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DurationHistogram } from './duration-histogram.ts';

const filled = (durations: readonly number[]) => {
  const histogram = new DurationHistogram();
  for (const ms of durations) histogram.note(ms);
  return histogram;
};

const exact = (durations: readonly number[], share: number) => {
  const sorted = [...durations].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
};

describe('DurationHistogram', () => {
  it('is all zeros when empty', () => {
    const { count, averageMs } = new DurationHistogram();
    expect([count, averageMs, new DurationHistogram().quantile(0.99)]).toEqual([0, 0, 0]);
  });

  it('is within 2 % of the exact percentile, whatever the durations', () => {
    const duration = fc.double({ min: 0.01, max: 600_000, noNaN: true });
    fc.assert(
      fc.property(fc.array(duration, { minLength: 1, maxLength: 300 }), (durations) => {
        const histogram = filled(durations);
        for (const share of [0.5, 0.95, 0.99, 1]) {
          const want = exact(durations, share);
          expect(Math.abs(histogram.quantile(share) - want)).toBeLessThanOrEqual(want * 0.02);
        }
      }),
    );
  });

  it('counts and averages exactly', () => {
    const histogram = filled([1, 2, 3, 10]);
    expect([histogram.count, histogram.totalMs, histogram.averageMs]).toEqual([4, 16, 4]);
  });

  it('counts those below a limit', () => {
    const histogram = filled([0.5, 4, 40, 4000]);
    expect([1, 5, 50, 5000].map((ms) => histogram.atMost(ms))).toEqual([1, 2, 3, 4]);
  });

  it('takes what is no duration without losing count of calls', () => {
    const histogram = filled([Number.NaN, -5, 0, Number.MAX_VALUE]);
    expect(histogram.count).toBe(4);
    expect(Number.isNaN(histogram.quantile(0.5))).toBe(false);
  });
});
