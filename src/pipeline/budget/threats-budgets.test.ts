/** The threat: looking at a budget and then drawing on it, so that many calls at once overspend it. */
import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { CallAs } from '../../contract/call-options.ts';
import type { ToolDefinition } from '../../contract/tool.ts';
import type { CribOptions } from '../../crib/crib-options.ts';

type Definition = Partial<ToolDefinition<never, unknown>>;

const CENT: Definition = { cost: { model: 'usage_based', fixed: 0.01 } };
const AGENT: CallAs = { userId: 'ada', agentId: 'bot', sessionId: 's1' };

const setUp = async (
  budget: NonNullable<CribOptions['config']>['budget'],
  tool: Definition = CENT,
) => {
  const crib = await testCrib([aTool({ name: 'pay', ...tool })], {
    config: { budget, execution: { loop: false, maxConcurrentTools: 1000, queueLimit: 1000 } },
  });
  const pay = async (count: number, as: CallAs = AGENT) => {
    const calls = Array.from({ length: count }, (_, n) => crib.execute('pay', { n }, as));
    const results = await Promise.all(calls);
    return results.filter(({ success }) => success).length;
  };
  return { crib, pay };
};

describe('threat: budgets', () => {
  it.each([
    ['a user and day', { dailyUsd: 0.1 }],
    ['a tool and day', { perTool: { pay: 0.1 } }],
    ['a tool, by its calls', { perTool: { pay: { calls: 10 } } }],
    ['an agent', { perAgent: { usd: 0.1 } }],
    ['a session', { perSession: { calls: 10 } }],
    ['a user, by calls', { dailyCalls: 10 }],
  ])('hostile: of 100 calls at once, a limit of 10 on %s lets 10 run', async (_name, budget) => {
    const { pay } = await setUp(budget);
    expect(await pay(100)).toBe(10);
    expect(await pay(1)).toBe(0);
  });

  it('benign: the limits of one caller do not count for another', async () => {
    const { pay } = await setUp({ perAgent: { calls: 1 }, perSession: { calls: 2 } });
    expect(await pay(5)).toBe(1);
    expect(await pay(5, { ...AGENT, agentId: 'other' })).toBe(1);
    expect(await pay(5, { ...AGENT, agentId: 'third', sessionId: 's2' })).toBe(1);
  });

  it('a flow has a budget of its own, which its inner calls draw on', async () => {
    const inner = aTool({ name: 'inner', ...CENT });
    const outer = aTool({
      name: 'outer',
      run: (async (
        _input: unknown,
        { call }: { call: (tool: string, input: unknown) => unknown },
      ) => [await call('inner', {}), await call('inner', {})]) as never,
    });
    const crib = await testCrib([inner, outer], { config: { budget: { perFlow: { usd: 0.01 } } } });
    const result = await crib.execute('outer', {}, { ...AGENT, flowId: 'f1' });
    const [first, second] = result.data as { success: boolean; error?: { code: string } }[];
    expect([first?.success, second?.error?.code]).toEqual([true, 'BUDGET_EXCEEDED']);
    expect((await crib.execute('inner', {}, { ...AGENT, flowId: 'f2' })).success).toBe(true);
  });

  it('a refused call names the limit, what is left, and what to do', async () => {
    const { crib, pay } = await setUp({ dailyUsd: 0.015 });
    await pay(1);
    const { error } = await crib.execute('pay', {}, AGENT);
    expect(error?.message).toMatch(
      /^The budget of this user for \d{4}-\d\d-\d\d has 0\.0050 USD left/,
    );
    expect(error?.suggestions.join(' ')).toContain('toolcrib usage');
    const counted = await setUp({ perSession: { calls: 1 } });
    await counted.pay(1);
    const refused = await counted.crib.execute('pay', {}, AGENT);
    expect(refused.error?.message).toContain('The budget of this session has 0 calls left');
  });

  it('tokens are held by estimate and settled by what was used', async () => {
    const tool: Definition = {
      cost: { model: 'usage_based', perUnit: { unit: 'token', price: 0, inputField: 'text' } },
      run: ((_input: unknown, { charge }: { charge: (used: object) => void }) =>
        charge({ tokens: 70 })) as never,
    };
    const { crib } = await setUp({ dailyTokens: 100 }, tool);
    const say = async (characters: number) =>
      (await crib.execute('pay', { text: 'x'.repeat(characters) }, AGENT)).error?.code;
    expect(await say(404)).toBe('BUDGET_EXCEEDED');
    expect(await say(40)).toBeUndefined();
    expect(await say(124)).toBe('BUDGET_EXCEEDED');
    // What is left is held, and 70 tokens are more than that.
    expect(await say(120)).toBe('BUDGET_EXCEEDED');
    expect(await say(0)).toBe('BUDGET_EXCEEDED');
  });

  it('calls that never ran, and calls that failed without effect, cost nothing', async () => {
    let works = false;
    const tool: Definition = {
      ...CENT,
      run: () => {
        if (!works) throw new Error('no');
        return 1;
      },
    };
    const { crib, pay } = await setUp({ dailyUsd: 0.01 }, tool);
    expect(await pay(3)).toBe(0);
    works = true;
    expect(await pay(3)).toBe(1);
    const lines = await crib.usage.summary();
    expect(lines[0]).toMatchObject({ kind: 'user', name: 'ada', usd: 0.01, heldUsd: 0 });
  });

  it('free calls of a service are taken first, and counted by the month', async () => {
    const tool: Definition = { cost: { model: 'usage_based', fixed: 0.01, freeTierLimit: 3 } };
    const { crib, pay } = await setUp({ dailyUsd: 0.02 }, tool);
    expect(await pay(20)).toBe(5);
    const lines = await crib.usage.summary();
    expect(lines.find(({ kind }) => kind === 'free')).toMatchObject({ name: 'pay', calls: 3 });
    expect(lines.find(({ kind }) => kind === 'user')).toMatchObject({ usd: 0.02, calls: 5 });
  });

  it('a free call is given back when the budget refuses it for another reason', async () => {
    const tool: Definition = { cost: { model: 'usage_based', fixed: 0.01, freeTierLimit: 3 } };
    const { crib, pay } = await setUp({ perSession: { calls: 1 } }, tool);
    expect(await pay(3)).toBe(1);
    const free = (await crib.usage.summary()).find(({ kind }) => kind === 'free');
    expect(free).toMatchObject({ calls: 1 });
    expect(await pay(2, { ...AGENT, sessionId: 's2' })).toBe(1);
  });

  it.each([
    ['a free call', { freeTierLimit: 1 }],
    ['a call with a price', {}],
  ])('the hold of %s that never ran is given back', async (_name, more) => {
    const tool: Definition = {
      cost: { model: 'usage_based', fixed: 0.01, ...more },
      concurrency: { limit: 1, queue: 0 },
    };
    const { crib, pay } = await setUp({ dailyUsd: 1 }, tool);
    const both = await pay(2);
    expect(both).toBeGreaterThanOrEqual(1);
    const lines = await crib.usage.summary();
    expect(lines.find(({ kind }) => kind === 'user')).toMatchObject({ calls: both, heldUsd: 0 });
  });

  it('nobody is asked about a call that the budget cannot cover; free calls count as covered', async () => {
    const asked: unknown[] = [];
    const tool = (freeTierLimit: number) =>
      aTool({
        name: 'pay',
        tier: 'external_api',
        cost: { model: 'usage_based', fixed: 5, freeTierLimit },
      });
    const options: CribOptions = {
      config: { budget: { dailyUsd: 1 } },
      approver: (request) => asked.push(request) > 0,
    };
    const dear = await testCrib([tool(0)], options);
    expect((await dear.execute('pay', {})).error?.code).toBe('BUDGET_EXCEEDED');
    expect(asked).toEqual([]);
    const free = await testCrib([tool(1)], options);
    expect((await free.execute('pay', {})).success).toBe(true);
    expect((await free.execute('pay', {})).error?.code).toBe('BUDGET_EXCEEDED');
    expect(asked).toHaveLength(1);
  });

  it('a dry run of a call that is counted holds nothing', async () => {
    const { crib, pay } = await setUp({ dailyCalls: 1 });
    for (let n = 0; n < 3; n++) {
      expect((await crib.execute('pay', {}, { ...AGENT, dryRun: true })).success).toBe(true);
    }
    expect(await pay(2)).toBe(1);
    expect((await crib.execute('pay', {}, { ...AGENT, dryRun: true })).error?.code).toBe(
      'BUDGET_EXCEEDED',
    );
  });
});

describe('threat: an agent in a loop', () => {
  const loop = { identicalCalls: 3, windowSeconds: 60 };

  it('hostile: the same call too often is stopped, and a person is not asked about it', async () => {
    const crib = await testCrib([aTool()], { config: { execution: { loop } } });
    const codes = [];
    for (let n = 0; n < 5; n++) {
      codes.push((await crib.execute('echo', { a: 1 }, AGENT)).error?.code ?? 'success');
    }
    expect(codes).toEqual(['success', 'success', 'success', 'LOOP_DETECTED', 'LOOP_DETECTED']);
    expect((await crib.execute('echo', { a: 2 }, AGENT)).success).toBe(true);
    await crib.runtime.advance(60_000);
    expect((await crib.execute('echo', { a: 1 }, AGENT)).success).toBe(true);
  });

  it('benign: dry runs, programs and a crib without loop detection may repeat a call', async () => {
    const crib = await testCrib([aTool()], { config: { execution: { loop } } });
    for (let n = 0; n < 9; n++) {
      expect((await crib.execute('echo', {}, { ...AGENT, dryRun: true })).success).toBe(true);
      expect((await crib.execute('echo', {})).success).toBe(true);
    }
    const off = await testCrib([aTool()], { config: { execution: { loop: false } } });
    for (let n = 0; n < 20; n++) expect((await off.execute('echo', {}, AGENT)).success).toBe(true);
  });
});
