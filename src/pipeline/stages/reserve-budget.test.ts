import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../../contract/context.ts';

const priced = (run: (input: unknown, context: ToolContext) => unknown, fixed = 0.01) =>
  aTool({ cost: { model: 'usage_based', fixed }, run: run as never });

const lines = async (crib: Awaited<ReturnType<typeof testCrib>>) =>
  (await crib.store()).ledger.lines('user:');

describe('reserve budget', () => {
  it('B1: 1,000 concurrent 0.01 USD calls on a 1 USD budget: exactly 100 admitted', async () => {
    let ran = 0;
    const crib = await testCrib([priced(async () => ++ran)], {
      config: { budget: { dailyUsd: 1 } },
    });
    const results = await Promise.all(Array.from({ length: 1000 }, () => crib.execute('echo', {})));
    expect(results.filter(({ success }) => success)).toHaveLength(100);
    expect(ran).toBe(100);
    expect(results.find(({ success }) => !success)?.error?.code).toBe('BUDGET_EXCEEDED');
    expect(await lines(crib)).toMatchObject([{ spentMicros: 1_000_000, heldMicros: 0 }]);
  });

  it('settles with what the tool reports, and puts it into the result', async () => {
    const crib = await testCrib([
      priced((_input, context) => context.charge({ cost: 0.004, tokens: 12 })),
    ]);
    const { metadata } = await crib.execute('echo', {});
    expect(metadata).toMatchObject({ cost: 0.004, tokensUsed: 12 });
    expect(await lines(crib)).toMatchObject([{ spentMicros: 4000, heldMicros: 0 }]);
  });

  it('releases what a failed call held', async () => {
    const crib = await testCrib([
      priced(() => {
        throw new Error('no');
      }),
    ]);
    await crib.execute('echo', {});
    expect(await lines(crib)).toMatchObject([{ spentMicros: 0, heldMicros: 0 }]);
  });

  it('books the estimate when a failed call may have had its effect', async () => {
    const tool = aTool({
      tier: 'write',
      cost: { model: 'usage_based', fixed: 0.5 },
      run: () => {
        throw new Error('connection lost');
      },
    });
    const crib = await testCrib([tool]);
    await crib.execute('echo', {});
    expect(await lines(crib)).toMatchObject([{ spentMicros: 500_000, heldMicros: 0 }]);
  });

  it('books what a tool thought to be free reports', async () => {
    const run = (_input: unknown, context: ToolContext) => context.charge({ cost: 0.2 });
    const crib = await testCrib([aTool({ run: run as never })]);
    await crib.execute('echo', {});
    expect(await lines(crib)).toMatchObject([{ spentMicros: 200_000, heldMicros: 0 }]);
  });

  it('books a call of a free tool as a call that cost nothing, when calls are counted', async () => {
    const crib = await testCrib([aTool({})], { config: { budget: { dailyCalls: 2 } } });
    expect((await crib.execute('echo', {})).success).toBe(true);
    expect(await lines(crib)).toMatchObject([{ spentMicros: 0, heldMicros: 0, calls: 1 }]);
  });

  it('keeps a limit per tool beside the limit per user', async () => {
    const config = { budget: { dailyUsd: 10, perTool: { echo: 0.02 } } };
    const crib = await testCrib([priced(() => 1)], { config });
    const results = [];
    for (let i = 0; i < 3; i++) results.push(await crib.execute('echo', {}));
    expect(results.map(({ success }) => success)).toEqual([true, true, false]);
  });

  it('a new day brings a new budget', async () => {
    const crib = await testCrib([priced(() => 1, 1)], { config: { budget: { dailyUsd: 1 } } });
    expect((await crib.execute('echo', {})).success).toBe(true);
    expect((await crib.execute('echo', {})).success).toBe(false);
    await crib.runtime.advance(24 * 60 * 60 * 1000);
    expect((await crib.execute('echo', {})).success).toBe(true);
  });
});
