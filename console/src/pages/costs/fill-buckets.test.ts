import { describe, expect, it } from 'vitest';
import { fillBuckets, totalsOf } from './fill-buckets.ts';

const HOUR = 3_600_000;
const bucket = (at: number, more: object = {}) => ({
  at,
  calls: 2,
  failures: 1,
  costUsd: 0.5,
  tokens: 10,
  p50Ms: 3,
  p95Ms: 9,
  ...more,
});

describe('the steps of a chart', () => {
  const span = { from: 10 * HOUR, to: 14 * HOUR, bucket: 'hour' as const };

  it('include those in which nothing ran, with no latency rather than none at all', () => {
    const steps = fillBuckets([bucket(11 * HOUR)], span);
    expect(steps.map(({ at, calls }) => [at / HOUR, calls])).toEqual([
      [10, 0],
      [11, 2],
      [12, 0],
      [13, 0],
    ]);
    expect(steps.map(({ p95Ms }) => p95Ms)).toEqual([null, 9, null, null]);
  });

  it('leave out what lies beyond the span', () => {
    const steps = fillBuckets([bucket(9 * HOUR), bucket(14 * HOUR)], span);
    expect(steps.filter(({ calls }) => calls > 0)).toEqual([]);
    expect(steps).toHaveLength(4);
  });
});

describe('totals', () => {
  it('add up', () => {
    expect(totalsOf([bucket(1), bucket(2, { costUsd: 0.25 })])).toEqual({
      calls: 4,
      failures: 2,
      costUsd: 0.75,
      tokens: 20,
    });
    expect(totalsOf([])).toEqual({ calls: 0, failures: 0, costUsd: 0, tokens: 0 });
  });
});
