/** The threat: a tool whose price is known only afterwards spends more than the budget allows. */
import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { Model, ModelRequest } from '../../contract/model.ts';
import type { Tool, ToolDefinition } from '../../contract/tool.ts';
import type { CribOptions } from '../../crib/crib-options.ts';
import { deepReasoning } from '../../tools/local/deep-reasoning.ts';
import { textTransform } from '../../tools/local/text-transform.ts';
import { jsonParser } from '../../tools/validation/json-parser.ts';

type Definition = Partial<ToolDefinition<never, unknown>>;
type Run = (input: { readonly n?: number }, context: ToolContext) => unknown;

const EXECUTION = { loop: false, maxConcurrentTools: 1000, queueLimit: 1000 } as const;

const open = (
  tools: readonly Tool[],
  budget: NonNullable<CribOptions['config']>['budget'],
  more: CribOptions = {},
) => testCrib(tools, { ...more, config: { budget, execution: EXECUTION } });

type Opened = Awaited<ReturnType<typeof open>>;

const payTool = (run: Run, more: Definition = {}): Tool =>
  aTool({ name: 'pay', ...more, run: run as never });

const codesOf = async (crib: Opened, count: number, tool = 'pay', input: object = {}) => {
  const calls = Array.from({ length: count }, (_, n) =>
    crib.execute(tool, { ...input, ...(tool === 'pay' && { n }) }),
  );
  const results = await Promise.all(calls);
  return results.map(({ error }) => error?.code ?? 'success');
};

const userLine = async (crib: Opened) => {
  const [line] = await (await crib.store()).ledger.lines('user:');
  return line ?? { spentMicros: 0, heldMicros: 0, heldTokens: 0, tokens: 0, calls: 0 };
};

const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('threat: a charge above what was held', () => {
  const estimate = () => ({ cost: 0.05 });

  it('hostile: a charge above the hold ends the call with BUDGET_EXCEEDED and is booked up to the hold only', async () => {
    let finished = false;
    let signalled = false;
    const tool = payTool(
      async (_input, { charge, signal }) => {
        signal.addEventListener('abort', () => {
          signalled = true;
        });
        await pause();
        charge({ cost: 0.04 });
        charge({ cost: 0.04 });
        finished = true;
      },
      { estimate },
    );
    const crib = await open([tool], { dailyUsd: 1 });
    const result = await crib.execute('pay', {});
    expect(result).toMatchObject({ success: false, status: 'denied' });
    expect(result.error?.code).toBe('BUDGET_EXCEEDED');
    expect([finished, signalled]).toEqual([false, true]);
    expect(await userLine(crib)).toMatchObject({ spentMicros: 50_000, heldMicros: 0 });
    expect(result.metadata.cost).toBe(0.05);
  });

  it.each<[string, Run]>([
    [
      'catches the refusal and returns',
      (_input, { charge }) => {
        try {
          charge({ cost: 5 });
        } catch {}
        return 'all is well';
      },
    ],
    ['charges without end', (_input, { charge }) => charge({ cost: Number.POSITIVE_INFINITY })],
  ])('hostile: a tool that %s does not succeed', async (_name, run) => {
    const crib = await open([payTool(run, { cost: { model: 'usage_based', fixed: 0.05 } })], {
      dailyUsd: 1,
    });
    expect(await codesOf(crib, 1)).toEqual(['BUDGET_EXCEEDED']);
    expect((await userLine(crib)).spentMicros).toBeLessThanOrEqual(50_000);
  });

  it.each([-1, Number.NaN, '5', null, {}])('hostile: a charge of %j is refused', async (cost) => {
    const run: Run = (_input, { charge }) => charge({ cost } as never);
    const crib = await open([payTool(run, { estimate })], { dailyUsd: 1 });
    expect(await codesOf(crib, 1)).toEqual(['EXECUTION_FAILED']);
    expect(await userLine(crib)).toMatchObject({ spentMicros: 0, heldMicros: 0 });
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['returns nothing', () => undefined],
    ['returns a negative amount', () => ({ cost: -1 })],
    ['returns no number', () => ({ tokens: 'many' })],
  ])('hostile: no call is made when the estimate %s', async (_name, bad) => {
    let ran = 0;
    const crib = await open([payTool(() => ran++, { estimate: bad as never })], { dailyUsd: 1 });
    expect(await codesOf(crib, 1)).toEqual(['EXECUTION_FAILED']);
    expect(ran).toBe(0);
  });

  it('hostile: of 20 calls at once that can cost 0.05 each, a budget of 0.2 lets 4 run', async () => {
    let real = 0;
    const run: Run = async (_input, { charge }) => {
      await pause();
      real += 0.05;
      charge({ cost: 0.05 });
    };
    const crib = await open([payTool(run, { estimate })], { dailyUsd: 0.2 });
    const codes = await codesOf(crib, 20);
    expect(codes.filter((code) => code === 'success')).toHaveLength(4);
    expect(real).toBeCloseTo(0.2);
    expect(await userLine(crib)).toMatchObject({ spentMicros: 200_000, heldMicros: 0 });
  });

  it('benign: what was not spent is given back', async () => {
    const run: Run = (_input, { charge }) => charge({ cost: 0.01 });
    const crib = await open([payTool(run, { estimate })], { dailyUsd: 0.1 });
    const codes = [];
    for (let n = 0; n < 6; n++) codes.push(...(await codesOf(crib, 1)));
    expect(codes).toEqual(Array(6).fill('success'));
    expect(await userLine(crib)).toMatchObject({ spentMicros: 60_000, heldMicros: 0, calls: 6 });
  });

  it('a dry run reports the highest cost when it is above the price', async () => {
    const tool = payTool(() => 1, { estimate, cost: { model: 'usage_based', fixed: 0.01 } });
    const crib = await open([tool], { dailyUsd: 1 });
    const { data } = await crib.execute('pay', {}, { dryRun: true });
    expect(data).toMatchObject({ estimate: { costMicros: 10_000, mostMicros: 50_000 } });
  });
});

describe('threat: charges without a declared price', () => {
  const tenCents: Run = async (_input, { charge }) => {
    await pause();
    charge({ cost: 0.1 });
    await pause();
    return 'done';
  };

  it.each<[string, Definition]>([
    ['names no cost', {}],
    ['says that it is free', { cost: { model: 'free' } }],
    ['says that it is paid by use', { cost: { model: 'usage_based' } }],
    ['belongs to a subscription', { cost: { model: 'subscription' } }],
  ])(
    'hostile: ten calls at once of a tool that %s spend no more than the budget',
    async (_n, more) => {
      const crib = await open([payTool(tenCents, more)], { dailyUsd: 0.1 });
      const codes = await codesOf(crib, 10);
      expect(codes.filter((code) => code === 'success').length).toBeLessThanOrEqual(1);
      expect((await userLine(crib)).spentMicros).toBeLessThanOrEqual(100_000);
      expect((await userLine(crib)).heldMicros).toBe(0);
    },
  );

  it('hostile: a spent budget refuses every further call of a tool that charges', async () => {
    let ran = 0;
    const crib = await open(
      [
        payTool((input, context) => {
          ran++;
          return tenCents(input, context);
        }),
      ],
      {
        dailyUsd: 0.1,
      },
    );
    const codes = [];
    for (let n = 0; n < 5; n++) codes.push(...(await codesOf(crib, 1)));
    expect(codes).toEqual(['success', ...Array(4).fill('BUDGET_EXCEEDED')]);
    expect(ran).toBe(1);
    expect(await userLine(crib)).toMatchObject({ spentMicros: 100_000, heldMicros: 0 });
  });

  it('hostile: many small charges of one call stop at the configured amount', async () => {
    const run: Run = async (_input, { charge }) => {
      for (;;) {
        charge({ cost: 0.05 });
        await pause();
      }
    };
    const crib = await open([payTool(run)], { dailyUsd: 10, unknownUsd: 0.3 });
    expect(await codesOf(crib, 1)).toEqual(['BUDGET_EXCEEDED']);
    expect(await userLine(crib)).toMatchObject({ spentMicros: 300_000, heldMicros: 0 });
  });

  it('hostile: the charge of a tool that ends at once is covered before its data is handed out', async () => {
    const run: Run = (_input, { charge }) => {
      charge({ cost: 0.2 });
      return 'data';
    };
    const crib = await open([payTool(run)], { dailyUsd: 0.1 });
    const result = await crib.execute('pay', {});
    expect(result).toMatchObject({ success: false, error: { code: 'BUDGET_EXCEEDED' } });
    expect(result.data).toBeUndefined();
    expect((await userLine(crib)).spentMicros).toBe(0);
  });

  it('hostile: tokens above a token limit are refused', async () => {
    const run: Run = async (_input, { charge }) => {
      await pause();
      charge({ tokens: 70 });
    };
    const crib = await open([payTool(run)], { dailyUsd: 1, dailyTokens: 100 });
    const codes = await codesOf(crib, 5);
    expect(codes.filter((code) => code === 'success')).toHaveLength(1);
    expect(await userLine(crib)).toMatchObject({ tokens: 70, heldTokens: 0 });
  });

  it('benign: within the budget a tool without a price charges as before', async () => {
    const crib = await open([payTool(tenCents)], { dailyUsd: 10 });
    expect(await codesOf(crib, 5)).toEqual(Array(5).fill('success'));
    expect(await userLine(crib)).toMatchObject({ spentMicros: 500_000, heldMicros: 0, calls: 5 });
  });
});

describe('threat: the limit of one caller is passed by charges', () => {
  it('hostile: a limit that comes with the call holds for charges without a price, and for inner calls', async () => {
    const run: Run = async (_input, { charge }) => {
      await pause();
      charge({ cost: 0.1 });
    };
    const outer = aTool({
      name: 'outer',
      run: (async (_input: unknown, { call }: ToolContext) =>
        (await call('pay', {})).error?.code) as never,
    });
    const crib = await open([payTool(run), outer], { dailyUsd: 10 });
    const poor = { userId: 'poor', dailyUsd: 0.2 };
    const codes = [];
    for (let n = 0; n < 4; n++) codes.push((await crib.execute('pay', { n }, poor)).error?.code);
    expect(codes).toEqual([undefined, undefined, 'BUDGET_EXCEEDED', 'BUDGET_EXCEEDED']);
    expect((await crib.execute('outer', {}, poor)).data).toBe('BUDGET_EXCEEDED');
    expect((await crib.execute('pay', {}, { userId: 'rich' })).success).toBe(true);
    const raised = await crib.execute('pay', {}, { userId: 'poor', dailyUsd: 0.2 });
    expect(raised.error?.code).toBe('BUDGET_EXCEEDED');
  });
});

describe('what a charge means', () => {
  const perToken: Definition = {
    cost: { model: 'usage_based', perUnit: { unit: 'token', price: 0.001, inputField: 'text' } },
  };

  it.each<[string, Definition, Run, number]>([
    [
      'tokens have the price of the tool',
      perToken,
      (_i, { charge }) => charge({ tokens: 500 }),
      500_000,
    ],
    [
      'a cost of 0 is booked as 0',
      { cost: { model: 'usage_based', fixed: 0.05 } },
      (_i, { charge }) => charge({ cost: 0 }),
      0,
    ],
    [
      'without a charge it is the price',
      { cost: { model: 'usage_based', fixed: 0.05 } },
      () => 1,
      50_000,
    ],
    [
      'without charge and price it is the most',
      { estimate: () => ({ cost: 0.02 }) },
      () => 1,
      20_000,
    ],
    [
      'a cost beside tokens counts alone',
      perToken,
      (_i, { charge }) => charge({ tokens: 500, cost: 0.1 }),
      100_000,
    ],
  ])('the charge is booked: %s', async (_name, more, run, micros) => {
    const crib = await open([payTool(run, more)], { dailyUsd: 10 });
    const result = await crib.execute('pay', { text: 'x'.repeat(40) });
    expect(result.success).toBe(true);
    expect(await userLine(crib)).toMatchObject({ spentMicros: micros, heldMicros: 0, calls: 1 });
  });

  it('seconds are paid as they passed, not as long as they might have', async () => {
    let advance: () => Promise<void> = async () => undefined;
    const tool = payTool(() => advance(), {
      cost: { model: 'usage_based', perUnit: { unit: 'second', price: 0.01 } },
      timeoutMs: 60_000,
    });
    const crib = await open([tool], { dailyUsd: 10 });
    advance = () => crib.runtime.advance(3000);
    expect(await codesOf(crib, 1)).toEqual(['success']);
    expect(await userLine(crib)).toMatchObject({ spentMicros: 30_000, heldMicros: 0 });
  });

  it('an attempt that cost nothing does not make the next one free', async () => {
    let attempt = 0;
    const tool = payTool(
      (_input, { charge }) => {
        if (++attempt > 1) return 'paid';
        charge({ cost: 0 });
        throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
      },
      {
        cost: { model: 'usage_based', fixed: 0.05 },
        retry: { maxRetries: 1, backoff: { strategy: 'fixed', delayMs: 0 } } as never,
      },
    );
    const crib = await open([tool], { dailyUsd: 1 });
    expect(await codesOf(crib, 1)).toEqual(['success']);
    expect((await userLine(crib)).spentMicros).toBe(50_000);
  });

  it('calls that cost nothing are counted in the usage', async () => {
    const crib = await open([payTool(() => 1)], { dailyUsd: 1 });
    await codesOf(crib, 3);
    await crib.execute('pay', {}, { dryRun: true });
    const lines = await crib.usage.summary();
    expect(lines.find(({ kind }) => kind === 'user')).toMatchObject({ calls: 3, usd: 0 });
    expect(lines.find(({ kind }) => kind === 'tool')).toMatchObject({ name: 'pay', calls: 3 });
  });
});

describe('threat: questions to the model that nothing was held for', () => {
  const modelAt = (usd: number, more: Partial<Model> = {}) => {
    const asked: ModelRequest[] = [];
    const model: Model = {
      configured: true,
      generate: async (request) => {
        asked.push(request);
        await pause();
        const text = request.schema ? '{"steps":["a"],"answer":"b"}' : 'ok';
        return { text, model: 'm', inputTokens: 10, outputTokens: 10, costUsd: usd };
      },
      ...more,
    };
    return { model, asked };
  };

  const QUESTIONS: readonly (readonly [Tool, object])[] = [
    [deepReasoning as Tool, { problem: 'Why?', depth: 'standard' }],
    [deepReasoning as Tool, { problem: 'Why?', depth: 'deep' }],
    [
      textTransform as Tool,
      { operation: 'translate', text: 'Guten Tag', options: { targetLanguage: 'English' } },
    ],
    [jsonParser as Tool, { text: 'prose', schema: { type: 'object' } }],
  ];
  const PRICE = { inputPerMillion: 1, outputPerMillion: 3 };

  it.each(
    QUESTIONS.flatMap(([tool, input]) => [
      [tool.name, 'a known', PRICE, tool, input] as const,
      [tool.name, 'an unknown', undefined, tool, input] as const,
    ]),
  )(
    'hostile: 20 of %s at once with %s price stay within 0.2 USD',
    async (_n, _p, price, tool, input) => {
      const { model, asked } = modelAt(0.02, price && { price });
      const crib = await open([tool], { dailyUsd: 0.2 }, { model });
      const codes = await codesOf(crib, 20, tool.name, input);
      expect(codes).toContain('BUDGET_EXCEEDED');
      expect(asked.length).toBeGreaterThan(0);
      expect(asked.length * 20_000).toBeLessThanOrEqual(200_000);
      const line = await userLine(crib);
      expect(line).toMatchObject({ spentMicros: asked.length * 20_000, heldMicros: 0 });
    },
  );

  it('hostile: a tool that reports nothing pays for its questions all the same', async () => {
    const { model, asked } = modelAt(0.02, { price: PRICE });
    const run: Run = (_input, context) => context.model.generate({ prompt: 'Hi' });
    const crib = await open([payTool(run)], { dailyUsd: 0.05 }, { model });
    const codes = [];
    for (let n = 0; n < 5; n++) codes.push(...(await codesOf(crib, 1)));
    expect(codes).toEqual(['success', 'success', ...Array(3).fill('BUDGET_EXCEEDED')]);
    expect(asked).toHaveLength(2);
    expect(asked[0]?.maxTokens).toBeGreaterThan(0);
    expect((await userLine(crib)).spentMicros).toBe(40_000);
  });

  it('hostile: an answer that costs more than its price is not booked above the limit', async () => {
    const { model } = modelAt(0.5, { price: PRICE });
    const run: Run = (_input, context) => context.model.generate({ prompt: 'Hi' });
    const crib = await open([payTool(run)], { dailyUsd: 0.1 }, { model });
    expect(await codesOf(crib, 3)).toEqual(Array(3).fill('BUDGET_EXCEEDED'));
    const line = await userLine(crib);
    expect(line.spentMicros).toBeLessThanOrEqual(100_000);
    expect(line.heldMicros).toBe(0);
  });

  it('hostile: an interrupted question is booked at the highest cost it can have had', async () => {
    const generate: Model['generate'] = () => new Promise(() => undefined);
    const { model } = modelAt(0, { price: PRICE, generate });
    const run: Run = (_input, context) => context.model.generate({ prompt: 'Hi', maxTokens: 1000 });
    const crib = await open([payTool(run)], { dailyUsd: 1 }, { model });
    const cancel = new AbortController();
    const done = crib.execute('pay', {}, { signal: cancel.signal });
    await pause();
    cancel.abort();
    expect((await done).error?.code).toBe('CANCELLED');
    const line = await userLine(crib);
    expect(line.spentMicros).toBeGreaterThanOrEqual(3_000);
    expect(line.heldMicros).toBe(0);
  });

  it('benign: a tool that reports the cost of its question pays it once', async () => {
    const { model } = modelAt(0.02, { price: PRICE });
    const run: Run = async (_input, { model: asked, charge }) => {
      const { costUsd = 0, inputTokens, outputTokens } = await asked.generate({ prompt: 'Hi' });
      charge({ cost: costUsd + 0.01, tokens: inputTokens + outputTokens });
    };
    const crib = await open([payTool(run)], { dailyUsd: 1 }, { model });
    expect(await codesOf(crib, 1)).toEqual(['success']);
    expect(await userLine(crib)).toMatchObject({ spentMicros: 30_000, tokens: 20, calls: 1 });
  });

  it('benign: a model without a price costs nothing', async () => {
    const { model } = modelAt(0, { price: 'unpriced' });
    const run: Run = (_input, context) => context.model.generate({ prompt: 'Hi' });
    const crib = await open([payTool(run)], { dailyUsd: 0 }, { model });
    expect(await codesOf(crib, 3)).toEqual(Array(3).fill('success'));
  });
});
