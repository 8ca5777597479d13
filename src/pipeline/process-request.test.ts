import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../test/fixtures/test-crib.ts';

const log: string[] = [];
const tools = [
  aTool({
    name: 'add',
    description: 'Adds two numbers.',
    input: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
    run: ((input: { a: number; b: number }) => {
      log.push(`${input.a}+${input.b}`);
      return input.a + input.b;
    }) as never,
  }),
  aTool({
    name: 'fail',
    run: () => {
      throw new Error('no');
    },
  }),
];
const add = (a: number, b: number) => ({ tool: 'add', input: { a, b } });

describe('process', () => {
  it('execute_single runs one call and returns its result', async () => {
    const crib = await testCrib(tools);
    const result = await crib.process({ operation: 'execute_single', ...add(1, 2) });
    expect(result).toMatchObject({ operation: 'execute_single', status: 'success', errors: [] });
    expect(result.results[0]?.data).toBe(3);
  });

  it('execute_chain stops at the first failure unless it is asked to continue', async () => {
    const crib = await testCrib(tools);
    const calls = [add(1, 1), { tool: 'fail', input: {} }, add(2, 2)];
    const stopped = await crib.process({ operation: 'execute_chain', calls });
    expect([stopped.status, stopped.results.length, stopped.errors.length]).toEqual([
      'partial',
      2,
      1,
    ]);
    const whole = await crib.process({ operation: 'execute_chain', calls, continueOnError: true });
    expect([whole.status, whole.results.length]).toEqual(['partial', 3]);
  });

  it('orchestrate runs what does not depend on each other together, the rest in order', async () => {
    const crib = await testCrib(tools);
    log.length = 0;
    const result = await crib.process({
      operation: 'orchestrate',
      maxConcurrency: 2,
      calls: [
        { id: 'last', ...add(9, 9), dependsOn: ['first', 'second'] },
        { id: 'first', ...add(1, 1) },
        { id: 'second', ...add(2, 2) },
      ],
    });
    expect(result.status).toBe('success');
    expect(log).toEqual(['1+1', '2+2', '9+9']);
    expect(result.results.map(({ data }) => data)).toEqual([18, 2, 4]);
  });

  it('orchestrate: what depends on a failure does not run', async () => {
    const crib = await testCrib(tools);
    const result = await crib.process({
      operation: 'orchestrate',
      calls: [
        { id: 'a', tool: 'fail', input: {} },
        { id: 'b', ...add(1, 1), dependsOn: ['a'] },
        { id: 'c', ...add(2, 2) },
      ],
    });
    expect([result.status, result.results.length]).toEqual(['partial', 2]);
  });

  it.each([
    [
      'a circle',
      [
        { id: 'a', ...add(1, 1), dependsOn: ['b'] },
        { id: 'b', ...add(1, 1), dependsOn: ['a'] },
      ],
      'CALL_CYCLE',
    ],
    ['a missing dependency', [{ id: 'a', ...add(1, 1), dependsOn: ['zz'] }], 'VALIDATION_ERROR'],
    [
      'the same id twice',
      [
        { id: 'a', ...add(1, 1) },
        { id: 'a', ...add(1, 1) },
      ],
      'VALIDATION_ERROR',
    ],
  ])('orchestrate refuses %s before anything runs', async (_name, calls, code) => {
    const crib = await testCrib(tools);
    log.length = 0;
    const result = await crib.process({ operation: 'orchestrate', calls });
    expect([result.status, result.errors[0]?.code, log.length]).toEqual(['failure', code, 0]);
  });

  it('discover lists and searches', async () => {
    const crib = await testCrib(tools);
    const all = await crib.process({ operation: 'discover' });
    expect((all.data as { name: string }[]).map(({ name }) => name)).toEqual(['add', 'fail']);
    const found = await crib.process({ operation: 'discover', query: 'numbers' });
    expect((found.data as { name: string }[])[0]?.name).toBe('add');
  });

  it('validate checks calls and runs none', async () => {
    const crib = await testCrib(tools);
    log.length = 0;
    const calls = [add(1, 2), { tool: 'add', input: { a: 'x' } }, { tool: 'nope', input: {} }];
    const { status, data } = await crib.process({ operation: 'validate', calls });
    expect(status).toBe('partial');
    expect(data).toMatchObject([
      { valid: true },
      { valid: false, error: { code: 'VALIDATION_ERROR' } },
      { valid: false, error: { code: 'TOOL_NOT_FOUND' } },
    ]);
    expect(log).toEqual([]);
  });

  it('validate judges the version that a call names', async () => {
    const crib = await testCrib(tools);
    const calls = [{ ...add(1, 2), options: { version: '9.9.9', dryRun: false } }];
    log.length = 0;
    const { data } = await crib.process({ operation: 'validate', calls });
    expect(data).toMatchObject([{ valid: false, error: { code: 'TOOL_NOT_FOUND' } }]);
    expect(log).toEqual([]);
  });

  it.each([{ inputFrom: { a: { from: 'steps.a.data' } } }, { dependsOn: ['a'] }])(
    'validate refuses calls that depend on others: %o',
    async (more) => {
      const crib = await testCrib(tools);
      const calls = [{ tool: 'add', ...more }];
      const { status, errors } = await crib.process({ operation: 'validate', calls } as never);
      expect(status).toBe('failure');
      expect(errors[0]?.message).toContain('use validate_chain');
    },
  );

  it('getCapabilities says what this crib can do', async () => {
    const crib = await testCrib(tools);
    await crib.execute('add', { a: 1, b: 1 });
    expect(crib.getCapabilities()).toMatchObject({
      tools: 2,
      sources: { custom: 2 },
      model: false,
    });
  });
});

describe('process with a request that makes no sense', () => {
  it.each([
    [undefined],
    [{}],
    [{ operation: 'nope' }],
    [{ operation: 'execute_chain' }],
    [{ operation: 'execute_single' }],
    [{ operation: 'orchestrate', calls: [], maxConcurrency: 0 }],
    [{ operation: 'orchestrate', calls: [{ tool: 'add' }] }],
  ])('answers %j with a coded error', async (request) => {
    const crib = await testCrib(tools);
    const result = await crib.process(request as never);
    expect(result).toMatchObject({ status: 'failure', errors: [{ code: 'VALIDATION_ERROR' }] });
  });

  it('names the calls that were skipped, by id', async () => {
    const crib = await testCrib(tools);
    const calls = [
      { id: 'a', tool: 'fail', input: {} },
      { id: 'b', ...add(1, 1) },
    ];
    const result = await crib.process({ operation: 'execute_chain', calls });
    expect(result.calls).toMatchObject([
      { id: 'a', status: 'failure' },
      { id: 'b', status: 'skipped' },
    ]);
  });
});
