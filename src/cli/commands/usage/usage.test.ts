import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../../test/fixtures/test-crib.ts';
import { callsByTool, usagePeriod } from './usage.ts';

const NOW = Date.UTC(2026, 10, 15, 23, 59);

describe('usagePeriod', () => {
  it('reads today, a day, a month, or all', () => {
    const from = Date.UTC(2026, 10, 15);
    const day = { name: '2026-11-15', isLong: false, range: { from, to: from + 86_400_000 } };
    expect(usagePeriod(undefined, NOW)).toEqual(day);
    expect(usagePeriod('2026-11-15', 0)).toEqual(day);
    expect(usagePeriod('2026-12', NOW)).toEqual({
      name: '2026-12',
      isLong: true,
      range: { from: Date.UTC(2026, 11, 1), to: Date.UTC(2027, 0, 1) },
    });
    expect(usagePeriod('all', NOW)).toEqual({ name: 'all', isLong: true, range: {} });
  });

  it.each(['2026', '2026-13', '2026-02-30', '2026-1-1', 'today', '', '2026-11-15T00'])(
    'refuses %j',
    (text) => {
      expect(() => usagePeriod(text, NOW)).toThrow('--period takes');
    },
  );
});

describe('callsByTool', () => {
  it('counts calls, refused ones too, from the figures and not from the rows of the trail', async () => {
    const crib = await testCrib([aTool(), aTool({ name: 'writer', tier: 'write' })]);
    await crib.execute('writer', {});
    await crib.execute('writer', {});
    await crib.execute('echo', {});
    await crib.execute('another', {});
    expect(await callsByTool(crib.metrics, {})).toEqual([
      { tool: 'writer', calls: 2 },
      { tool: '(unknown)', calls: 1 },
      { tool: 'echo', calls: 1 },
    ]);
    expect(await callsByTool(crib.metrics, { to: 1 })).toEqual([]);
    await crib.close();
  });
});
