import { describe, expect, it } from 'vitest';
import { budgetBars } from './budget-bars.ts';
import type { UsageLine } from './usage-records.ts';

const line = (more: Partial<UsageLine>): UsageLine => ({
  kind: 'user',
  name: 'alice',
  period: '2026-11-15',
  usd: 0,
  heldUsd: 0,
  calls: 0,
  tokens: 0,
  limit: {},
  ...more,
});

describe('a budget bar', () => {
  it('is drawn for every limit and for nothing without one', () => {
    const bars = budgetBars([
      line({ usd: 2, calls: 3, tokens: 4, limit: { usd: 10, calls: 30, tokens: 400 } }),
      line({ name: 'bob', usd: 99 }),
    ]);
    expect(bars.map(({ text }) => text)).toEqual([
      '$2.00 of $10.00',
      '3 of 30 calls',
      '4 of 400 tokens',
    ]);
    expect(new Set(bars.map(({ key }) => key)).size).toBe(3);
  });

  it('warns near the limit and when it is used up; what is held counts', () => {
    const fullness = (usd: number, heldUsd = 0) =>
      budgetBars([line({ usd, heldUsd, limit: { usd: 10 } })])[0]?.fullness;
    expect([fullness(7.9), fullness(8), fullness(10), fullness(7, 1), fullness(7, 3)]).toEqual([
      'fine',
      'near',
      'full',
      'near',
      'full',
    ]);
  });

  it('never leaves its frame, not even over the limit or with a limit of nought', () => {
    const [over] = budgetBars([line({ usd: 30, heldUsd: 5, limit: { usd: 10 } })]);
    expect(over).toMatchObject({ used: 1, held: 0, fullness: 'full' });
    const [nought] = budgetBars([line({ limit: { usd: 0 } })]);
    expect(nought).toMatchObject({ used: 1, held: 0, fullness: 'full' });
  });

  it('comes with the fullest first, and says “all time”', () => {
    const bars = budgetBars([
      line({ name: 'low', usd: 1, limit: { usd: 10 } }),
      line({ name: 'high', usd: 9, limit: { usd: 10 }, period: 'all' }),
    ]);
    expect(bars.map(({ name, period }) => `${name} ${period}`)).toEqual([
      'high all time',
      'low 2026-11-15',
    ]);
  });
});
