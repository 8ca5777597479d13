import { describe, expect, it } from 'vitest';
import { bucketOf } from '../../kit/metrics/duration-buckets.ts';
import { figuresOf, NO_COUNTS } from './figures-of.ts';

describe('figuresOf', () => {
  it('is nought throughout where there were no calls, and divides by nothing', () => {
    const figures = figuresOf(NO_COUNTS, 0);
    const numbers = Object.values(figures).filter((value) => typeof value === 'number');
    expect(new Set(numbers)).toEqual(new Set([0]));
    expect(figures.resourceUtilization).toEqual({ cpuMs: 0, peakMemoryBytes: 0 });
  });

  it('leaves refused, waiting and cancelled calls out of its rates', () => {
    const byStatus = { success: 3, failure: 1, cancelled: 2, denied: 4, pending: 5 };
    const { calls, successRate, errorRate } = figuresOf({ ...NO_COUNTS, byStatus }, 1000);
    expect([calls, successRate, errorRate]).toEqual([15, 0.75, 0.25]);
  });

  it('counts calls in doubt and those that took too long as errors', () => {
    const byStatus = { success: 2, timeout: 1, unknown: 1 };
    expect(figuresOf({ ...NO_COUNTS, byStatus }, 1000).errorRate).toBe(0.5);
  });

  it('counts retries as attempts, and results of the cache not', () => {
    const counts = { ...NO_COUNTS, byStatus: { success: 10, denied: 3 }, retries: 4, cacheHits: 2 };
    expect(figuresOf(counts, 1000).attempts).toBe(12);
  });

  it('never tells a percentile above the longest call', () => {
    const durations = [bucketOf(100), 10];
    const counts = {
      ...NO_COUNTS,
      byStatus: { success: 10 },
      durations,
      maxMs: 100,
      totalMs: 1000,
    };
    const { p99ExecutionTime, averageExecutionTime, concurrency } = figuresOf(counts, 500);
    expect(p99ExecutionTime).toBeLessThanOrEqual(100);
    expect([averageExecutionTime, concurrency]).toEqual([100, 2]);
  });
});
