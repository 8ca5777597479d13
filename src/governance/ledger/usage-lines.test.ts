import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { usageLine, usageSummary } from './usage-lines.ts';

const NOW = Date.UTC(2026, 10, 15, 12);
const line = (key: string) => ({
  key,
  spentMicros: 1_500_000,
  heldMicros: 250_000,
  calls: 3,
  heldCalls: 1,
  tokens: 10,
  heldTokens: 0,
});

describe('a line of the usage summary', () => {
  it('is in dollars, with the limits in force and a name that may hold colons', () => {
    expect(usageLine(line('user:2026-11-15:team:ada'), { dailyUsd: 10 })).toEqual({
      kind: 'user',
      name: 'team:ada',
      period: '2026-11-15',
      usd: 1.5,
      heldUsd: 0.25,
      calls: 3,
      tokens: 10,
      limit: { usd: 10 },
    });
  });

  it('is left out when it is no budget of ours', () => {
    expect(usageLine(line('old:key'), { dailyUsd: 10 })).toBeUndefined();
    expect(usageLine(line('user'), { dailyUsd: 10 })).toBeUndefined();
  });
});

const spend = async (keys: readonly string[]) => {
  const { ledger } = createMemoryStore();
  let n = 0;
  for (const key of keys) {
    const executionId = `e${n++}`;
    await ledger.reserve({ executionId, scopes: [{ key, limitMicros: 1e9 }], amountMicros: 0 });
    await ledger.settle(executionId, { micros: key.endsWith('z') ? 0 : n, tokens: 0 });
  }
  return ledger;
};

describe('the usage summary', () => {
  const keys = [
    'user:2026-11-14:ada',
    'user:2026-11-15:ada',
    'user:2026-11-15:bob',
    'tool:2026-11-15:search',
    'session:all:ada/s',
    'free:2026-11:search',
    'free:2026-10:search',
  ];
  const summary = async (period?: string) =>
    (await usageSummary(await spend(keys), { dailyUsd: 10 }, { now: NOW, period })).map(
      ({ kind, name, period: of }) => `${kind} ${name} ${of}`,
    );

  it('covers today, the largest first, with the free calls of the month', async () => {
    expect(await summary()).toEqual([
      'user bob 2026-11-15',
      'user ada 2026-11-15',
      'tool search 2026-11-15',
      'session ada/s all',
      'free search 2026-11',
    ]);
  });

  it('puts what costs the same by its calls', async () => {
    const ledger = await spend(['tool:2026-11-15:az', 'tool:2026-11-15:bz', 'tool:2026-11-15:bz']);
    const lines = await usageSummary(ledger, { dailyUsd: 10 }, { now: NOW });
    expect(lines.map(({ name }) => name)).toEqual(['bz', 'az']);
  });

  it('lists the sessions that callers name themselves by their day', async () => {
    const ledger = await spend(['session:2026-11-14:t/1', 'session:2026-11-15:t/1']);
    const periods = async (period?: string) =>
      (await usageSummary(ledger, { dailyUsd: 10 }, { now: NOW, period })).map(
        ({ period: of }) => of,
      );
    expect(await periods()).toEqual(['2026-11-15']);
    expect((await periods('2026-11')).toSorted()).toEqual(['2026-11-14', '2026-11-15']);
    expect((await periods('all')).toSorted()).toEqual(['2026-11-14', '2026-11-15']);
  });

  it('is of a month or of all time when asked for', async () => {
    expect(await summary('2026-11')).toContain('user ada 2026-11-14');
    expect(await summary('all')).toHaveLength(7);
    // A session without a period is not told to the past: it may have been spent today.
    expect(await summary('2026-11-14')).toEqual(['user ada 2026-11-14', 'free search 2026-11']);
  });
});
