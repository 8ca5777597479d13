import { describe, expect, it } from 'vitest';
import { UsageStats } from './usage-stats.ts';

describe('usage of tools', () => {
  it('counts calls, the last use and the average duration of each tool', () => {
    const usage = new UsageStats();
    usage.note('a', 10, 2);
    usage.note('a', 20, 4);
    usage.note('b', 30, 1);
    expect(usage.of('a')).toEqual({ calls: 2, lastUsedAt: 20, averageMs: 3 });
    expect(usage.of('b')?.calls).toBe(1);
    expect(usage.of('c')).toBeUndefined();
  });

  it('threat: names without end do not fill the memory, and known tools are still counted', () => {
    const usage = new UsageStats();
    usage.note('real', 1, 1);
    for (let at = 0; at < 10_100; at++) usage.note(`made-up-${at}`, at, 1);
    usage.note('real', 2, 1);
    expect(usage.of('made-up-10099')).toBeUndefined();
    expect(usage.of('real')?.calls).toBe(2);
  });
});
