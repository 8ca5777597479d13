import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aTool, type TestCrib, testCrib } from '../../../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../../../contract/context.ts';
import { defineTool } from '../../../contract/define-tool.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { RetryPolicies } from '../../../contract/retry.ts';
import type { Tool } from '../../../contract/tool.ts';
import { createComposition } from '../create-composition.ts';
import { sequence } from '../sequence.ts';
import type { CustomAggregator } from './aggregate.ts';
import type { CompositionDefinition } from './composition-shape.ts';

const open: TestCrib[] = [];
afterEach(async () => {
  for (const crib of open.splice(0)) await crib.close();
});

const search = defineTool({
  name: 'search',
  description: 'Finds pages.',
  tier: 'read_only',
  input: z.strictObject({ query: z.string(), max: z.number().default(1) }),
  run: ({ query, max }) => ({
    pages: Array.from({ length: max }, (_, at) => ({ url: `https://${query}.test/${at}` })),
  }),
});
const scrape = defineTool({
  name: 'scrape',
  description: 'Reads a page.',
  tier: 'read_only',
  input: z.strictObject({ url: z.string() }),
  run: ({ url }) => ({ url, text: `text of ${url}` }),
});
const echo = aTool();
const flaky = (failures: number, definition: Partial<Tool> = {}) => {
  let calls = 0;
  return aTool({
    name: 'flaky',
    retry: RetryPolicies.NONE,
    run: () => {
      calls += 1;
      if (calls <= failures) throw new ToolFailure('NETWORK', 'Not now.');
      return { calls };
    },
    ...(definition as object),
  });
};

type Steps = CompositionDefinition['composition']['steps'];

const defined = (
  steps: Steps,
  rest: Partial<CompositionDefinition> & {
    readonly more?: Partial<CompositionDefinition['composition']>;
  } = {},
): CompositionDefinition => {
  const { more, ...others } = rest;
  return {
    type: 'composed',
    name: 'whole',
    description: 'Does it all.',
    schema: { type: 'object' },
    composition: { ...more, steps },
    ...others,
  };
};

const run = async (
  definition: CompositionDefinition,
  {
    tools = [search, scrape, echo],
    input = {},
    custom,
  }: {
    readonly tools?: readonly Tool[];
    readonly input?: unknown;
    readonly custom?: CustomAggregator;
  } = {},
) => {
  const whole = await createComposition(definition, tools, custom ? { custom } : {});
  const crib = await testCrib([...tools, whole]);
  open.push(crib);
  return crib.execute('whole', input);
};

describe('steps', () => {
  it('take static, dynamic and computed parameters', async () => {
    const definition = defined([
      {
        id: 'find',
        tool: 'search',
        parameters: { static: { max: 2 }, dynamic: { query: 'input.topic' } },
      },
      {
        id: 'read',
        tool: 'scrape',
        parameters: { dynamic: { url: 'steps.find.data.pages[1].url' } },
      },
      {
        id: 'say',
        tool: 'echo',
        parameters: {
          static: { like: { from: 'input.topic' } },
          computed: { length: 'size(steps.read.data.text) + 1', who: 'caller.user' },
        },
      },
    ]);
    const { data } = await run(definition, { input: { topic: 'cel' } });
    expect(data).toMatchObject({
      output: { like: { from: 'input.topic' }, length: 27, who: 'local' },
      steps: [
        { id: 'find', tool: 'search', success: true, attempts: 1 },
        { id: 'read', data: { text: 'text of https://cel.test/1' } },
        { id: 'say' },
      ],
    });
  });

  it('are skipped when their condition is false, and fail when it cannot be worked out', async () => {
    const skipped = defined([
      { id: 'a', tool: 'echo', condition: 'input.n > 10' },
      { id: 'b', tool: 'echo', condition: 'steps.a.status == "skipped"' },
    ]);
    expect((await run(skipped, { input: { n: 1 } })).data).toMatchObject({
      steps: [
        { id: 'a', status: 'skipped', attempts: 0 },
        { id: 'b', status: 'success' },
      ],
    });
    const { error } = await run(skipped, { input: {} });
    expect(error?.message).toContain(
      'The condition of step a: `input.n > 10` cannot be worked out',
    );
  });

  it('name step and path when a path leads nowhere', async () => {
    const definition = defined([
      { id: 'a', tool: 'echo' },
      { id: 'b', tool: 'echo', parameters: { dynamic: { x: 'steps.a.data.missing' } } },
    ]);
    const { error } = await run(definition);
    expect(error).toMatchObject({
      code: 'EXECUTION_FAILED',
      message: expect.stringContaining(
        'Step b, echo, failed: The parameters of step b: Step a has nothing at steps.a.data.missing',
      ),
      partial: {
        steps: [
          { id: 'a', success: true },
          { id: 'b', success: false },
        ],
      },
    });
  });

  it('that are parallel run together, and see nothing of each other', async () => {
    const waiting: (() => void)[] = [];
    const meet = aTool({
      name: 'meet',
      run: (async (input: unknown) => {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          if (waiting.length === 2) for (const each of waiting) each();
        });
        return input;
      }) as never,
    });
    const definition = defined([
      { id: 'a', tool: 'meet', parallel: true, parameters: { static: { n: 1 } } },
      { id: 'b', tool: 'meet', parallel: true, parameters: { static: { n: 2 } } },
      {
        id: 'c',
        tool: 'echo',
        parameters: { computed: { sum: 'steps.a.data.n + steps.b.data.n' } },
      },
    ]);
    const { data } = await run(definition, { tools: [meet, echo] });
    expect(data).toMatchObject({ output: { sum: 3 } });
  });

  it('run at the same time with `flow: parallel`', async () => {
    const definition = defined(
      [
        { id: 'a', tool: 'echo' },
        { id: 'b', tool: 'echo' },
      ],
      {
        more: { flow: 'parallel', maxConcurrency: 1 },
      },
    );
    expect((await run(definition)).success).toBe(true);
  });

  it('can be composed tools, whose value is passed on', async () => {
    const inner = await createComposition(
      { ...defined([{ id: 'x', tool: 'echo', parameters: { static: { n: 5 } } }]), name: 'inner' },
      [echo],
    );
    const definition = defined([
      { id: 'a', tool: 'inner' },
      { id: 'b', tool: 'echo', parameters: { dynamic: { n: 'steps.a.data.n' } } },
    ]);
    expect((await run(definition, { tools: [echo, inner] })).data).toMatchObject({
      output: { n: 5 },
    });
  });
});

describe('the error handling of steps', () => {
  const steps: Steps = [
    { id: 'a', tool: 'flaky' },
    { id: 'b', tool: 'echo' },
  ];

  it('stops by default', async () => {
    const { error } = await run(defined(steps), { tools: [flaky(9), echo] });
    expect(error).toMatchObject({
      code: 'NETWORK',
      message: 'Step a, flaky, failed: Not now.',
      partial: {
        steps: [
          { id: 'a', success: false },
          { id: 'b', status: 'skipped' },
        ],
      },
    });
  });

  it('continue goes on, warns, and the whole succeeds', async () => {
    const definition = defined(steps, { more: { errorHandling: { strategy: 'continue' } } });
    const result = await run(definition, { tools: [flaky(9), echo] });
    expect(result.success).toBe(true);
    expect(result.warnings).toEqual(['Step a failed with NETWORK; the others went on.']);
  });

  it('retry repeats what can be repeated, and never what may have had an effect', async () => {
    const retry = { errorHandling: { strategy: 'retry', maxRetries: 2 } } as const;
    const ok = await run(defined(steps, { more: retry }), { tools: [flaky(2), echo] });
    expect(ok.data).toMatchObject({ steps: [{ id: 'a', attempts: 3 }, {}] });
    const write = flaky(2, { tier: 'write' });
    const { error } = await run(defined(steps, { more: retry }), { tools: [write, echo] });
    expect(error?.partial).toMatchObject({ steps: [{ id: 'a', attempts: 1 }, {}] });
  });

  it('fallback calls another tool, unless the first may have had an effect', async () => {
    const fallback = {
      strategy: 'fallback',
      fallback: { tool: 'echo', parameters: { static: { n: 3 } } },
    } as const;
    const first = { id: 'a', tool: 'flaky', errorHandling: fallback };
    const result = await run(defined([first]), { tools: [flaky(9), echo] });
    expect(result.data).toMatchObject({ output: { n: 3 }, steps: [{ tool: 'echo', attempts: 2 }] });
    expect(result.warnings).toEqual(['Step a: echo was called instead of flaky.']);
    const written = await run(defined([first]), { tools: [flaky(9, { tier: 'write' }), echo] });
    expect(written.success).toBe(false);
    expect(written.warnings?.join()).toContain('no fallback was tried');
  });

  it('retry carries one key to what may be repeated, however it is tried again', async () => {
    const keys: string[] = [];
    const pay = aTool({
      name: 'pay',
      tier: 'write',
      idempotent: true,
      retry: RetryPolicies.NONE,
      run: ((_input: unknown, { idempotencyKey }: ToolContext) => {
        keys.push(idempotencyKey);
        if (keys.length < 3) throw new ToolFailure('NETWORK', 'Not now.');
        return 'paid';
      }) as never,
    });
    const errorHandling = { strategy: 'retry', maxRetries: 3 } as const;
    const result = await run(defined([{ id: 'a', tool: 'pay', errorHandling }]), { tools: [pay] });
    expect(result.data).toMatchObject({ output: 'paid', steps: [{ attempts: 3 }] });
    expect(new Set(keys).size).toBe(1);
  });

  it.each([
    ['retry', 'CIRCUIT_OPEN'],
    ['fallback', 'PERMISSION_DENIED'],
  ] as const)(
    'no %s follows a composed tool that had an effect before a part failed with %s',
    async (strategy, code) => {
      const written: unknown[] = [];
      const write = aTool({
        name: 'write',
        tier: 'write',
        run: (input) => void written.push(input),
      });
      const refuse = aTool({
        name: 'refuse',
        retry: RetryPolicies.NONE,
        run: () => {
          throw new ToolFailure(code, 'No.');
        },
      });
      const inner = sequence([write, refuse], { name: 'inner', transformOutput: () => ({}) });
      const errorHandling =
        strategy === 'retry'
          ? { strategy, maxRetries: 3 }
          : { strategy, fallback: { tool: 'write' } };
      const tools = [write, refuse, inner];
      const result = await run(defined([{ id: 'a', tool: 'inner', errorHandling }]), { tools });
      expect(result.error?.code).toBe(code);
      expect(written).toHaveLength(1);
    },
  );

  it('a step has a shorter time than its tool', async () => {
    const slow = aTool({ name: 'slow', run: (() => new Promise(() => undefined)) as never });
    const whole = await createComposition(defined([{ id: 'a', tool: 'slow', timeoutMs: 50 }]), [
      slow,
    ]);
    expect(whole.timeoutMs).toBe(50);
    const crib = await testCrib([slow, whole]);
    open.push(crib);
    const done = crib.execute('whole', {});
    await new Promise((resolve) => setImmediate(resolve));
    await crib.runtime.advance(60);
    expect((await done).error?.code).toBe('TIMEOUT');
  });
});

describe('the aggregation', () => {
  const steps: Steps = [
    { id: 'a', tool: 'echo', parameters: { static: { x: 1, y: 1 } } },
    { id: 'b', tool: 'echo', parameters: { static: { y: 2 } } },
    { id: 'c', tool: 'list' },
  ];
  const list = aTool({ name: 'list', run: () => [1, 2] });
  const tools = [echo, list];

  it.each([
    [{ strategy: 'override' }, [1, 2], undefined],
    [{ strategy: 'append' }, [{ x: 1, y: 1 }, { y: 2 }, 1, 2], undefined],
    [{ strategy: 'merge' }, { x: 1, y: 2, c: [1, 2] }, [{ key: 'y', steps: ['a', 'b'] }]],
    [{ strategy: 'custom', cel: 'steps.a.data.x + steps.c.data[1]' }, 3, undefined],
  ] as const)('%j', async (aggregation, output, conflicts) => {
    const { data } = await run(defined(steps, { aggregation }), { tools });
    expect(data).toMatchObject({ output, ...(conflicts && { conflicts }) });
  });

  it('can be a function in code; what it throws is told with what was done', async () => {
    const custom: CustomAggregator = ({ a }, input) => ({ a: a?.data, input });
    const { data } = await run(defined(steps), { tools, custom, input: { n: 1 } });
    expect(data).toMatchObject({ output: { a: { x: 1, y: 1 }, input: { n: 1 } } });
    const fails: CustomAggregator = () => {
      throw new Error('odd');
    };
    const { error } = await run(defined(steps), { tools, custom: fails });
    expect(error).toMatchObject({ message: 'The aggregation failed: odd' });
    expect(error?.partial).toHaveProperty('steps');
  });
});

describe('a definition', () => {
  const faults = async (definition: unknown): Promise<readonly string[]> => {
    const tools = [search, scrape, echo, aTool({ name: 'old', version: '1.2.0' })];
    try {
      await createComposition(definition as CompositionDefinition, tools);
    } catch (thrown) {
      const { issues = [] } = (thrown as ToolFailure).extras;
      return issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    }
    return [];
  };
  const at = 'composition.steps';

  it.each<[string, Steps, readonly string[]]>([
    ['unknown tool', [{ id: 'a', tool: 'nope' }], [`${at}.0.tool: there is no tool nope`]],
    [
      'itself',
      [{ id: 'a', tool: 'whole' }],
      [`${at}.0.tool: it would call itself`, `${at}.0.tool: there is no tool whole`],
    ],
    [
      'two of one id',
      [
        { id: 'a', tool: 'echo' },
        { id: 'a', tool: 'echo' },
      ],
      [`${at}.1.id: there is a step a already`],
    ],
    [
      'unknown step',
      [{ id: 'a', tool: 'echo', parameters: { dynamic: { x: 'steps.z.data' } } }],
      [`${at}.0.parameters.dynamic.x: steps.z.data: there is no step z; did you mean a?`],
    ],
    [
      'later step',
      [
        { id: 'a', tool: 'echo', condition: 'steps.b.success' },
        { id: 'b', tool: 'echo' },
      ],
      [`${at}.0.condition: steps.b: step b does not come before`],
    ],
    [
      'step beside it',
      [
        { id: 'a', tool: 'echo', parallel: true },
        { id: 'b', tool: 'echo', parallel: true, parameters: { computed: { x: 'steps.a.data' } } },
      ],
      [`${at}.1.parameters.computed.x: steps.a: step a does not come before`],
    ],
    [
      'parameter given twice',
      [{ id: 'a', tool: 'echo', parameters: { static: { x: 1 }, computed: { x: '1' } } }],
      [`${at}.0.parameters.computed.x: x is given twice`],
    ],
    [
      'parameters that the tool does not have or misses',
      [{ id: 'a', tool: 'search', parameters: { static: { q: 1 } } }],
      [
        `${at}.0.parameters: search needs the parameter query`,
        `${at}.0.parameters.static.q: search has no parameter q`,
      ],
    ],
    [
      'version',
      [{ id: 'a', tool: 'old', version: '^2.0.0' }],
      [`${at}.0.version: old is there as 1.2.0`],
    ],
    [
      'no range',
      [{ id: 'a', tool: 'old', version: 'new' }],
      [`${at}.0.version: expected a version or a range such as ^1.2.0`],
    ],
    [
      'bad CEL',
      [{ id: 'a', tool: 'echo', condition: 'input.' }],
      [expect.stringContaining('CEL, character')] as never,
    ],
    [
      'an item',
      [{ id: 'a', tool: 'echo', condition: 'item == 1' }],
      [`${at}.0.condition: there is no item in a composition`],
    ],
  ])('with %s is refused, with the place', async (_what, steps, expected) => {
    expect(await faults(defined(steps))).toEqual(expected);
  });

  it('is refused for every fault of its shape at once', async () => {
    expect(await faults({ type: 'composed', name: 'x', descripton: 'y', composition: {} })).toEqual(
      expect.arrayContaining([
        'description: is required',
        'descripton: is not known here; did you mean description?',
        'composition.steps: is required',
      ]),
    );
  });

  it('names the choices that there are, and where a parameter stands', async () => {
    const steps = [{ id: 'a', tool: 'echo', parameters: { x: 1 } }];
    const composition = { flow: 'paralel', steps };
    expect(await faults({ ...defined([]), composition })).toEqual(
      expect.arrayContaining([
        'composition.flow: expected one of sequential, parallel; did you mean parallel?',
        `${at}.0.parameters.x: is not known here; a parameter stands in static, dynamic or computed`,
      ]),
    );
  });

  it('names a dependency that is missing', async () => {
    const definition = defined([{ id: 'a', tool: 'echo' }], { dependencies: [{ tool: 'gone' }] });
    await expect(createComposition(definition, [echo])).rejects.toMatchObject({
      code: 'DEPENDENCY_MISSING',
    });
    await expect(createComposition(definition, [echo, echo])).rejects.toThrow('the same name');
  });

  it('keeps the versions of all its parts, whatever its author depends on besides', async () => {
    const tool = await createComposition(
      defined(
        [
          { id: 'a', tool: 'echo', version: '^1.0.0' },
          { id: 'b', tool: 'echo' },
          { id: 'c', tool: 'search', parameters: { static: { query: 'cel' } } },
        ],
        {
          dependencies: [
            { tool: 'echo' },
            { tool: 'search', range: '>=1.0.0' },
            { tool: 'scrape' },
          ],
        },
      ),
      [echo, search, scrape],
    );
    expect(tool.dependencies).toEqual([
      { tool: 'echo', range: '^1.0.0' },
      { tool: 'echo', range: '1.0.0' },
      { tool: 'search', range: '1.0.0' },
      { tool: 'search', range: '>=1.0.0' },
      { tool: 'scrape' },
    ]);
  });
});
