import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ChainCall } from '../../contract/chain.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { createCribHost } from '../../crib/create-crib.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

let running = 0;
let most = 0;
let made = 0;
const double = defineTool({
  name: 'double',
  description: 'Doubles a number.',
  tier: 'read_only',
  cost: { model: 'usage_based', fixed: 0.01 },
  input: z.strictObject({ n: z.number() }),
  output: z.strictObject({ n: z.number() }),
  run: async ({ n }) => {
    made += 1;
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    if (n < 0) throw new Error('below zero');
    return { n: n * 2 };
  },
});
const write = defineTool({
  name: 'write',
  description: 'Writes.',
  tier: 'write',
  input: z.looseObject({}),
  run: () => 'written',
});

const open = async () => {
  [most, made] = [0, 0];
  const crib = await createCribHost({
    store: 'memory',
    builtins: false,
    tools: [double, write],
    approver: () => true,
  });
  cleanup.push(() => crib.close());
  return crib;
};

const call = (n: number, more: Partial<ChainCall> = {}): ChainCall => ({
  tool: 'double',
  input: { n },
  ...more,
});
const using = (id: string, more: Partial<ChainCall> = {}): ChainCall => ({
  tool: 'double',
  inputFrom: { n: { from: `steps.${id}.data.n` } },
  ...more,
});

describe('executing a chain', () => {
  it('hands the result of a call to the next, and tells what ran when', async () => {
    const crib = await open();
    const chain = await crib.chains.execute([call(1), using('call1'), using('call2')]);
    expect(chain).toMatchObject({
      overallStatus: 'success',
      totalResourcesUsed: { costUsd: 0.03, tokens: 0, cpuMs: 0, peakMemoryBytes: 0 },
    });
    expect(chain.results.map(({ result }) => result?.data)).toEqual([{ n: 2 }, { n: 4 }, { n: 8 }]);
    expect(chain.flow.map(({ id, after }) => [id, after])).toEqual([
      ['call1', []],
      ['call2', ['call1']],
      ['call3', ['call2']],
    ]);
    const [first, second] = chain.flow;
    expect(second?.startedMs).toBeGreaterThanOrEqual(first?.finishedMs ?? Number.NaN);
  });

  it('stops at a failure and names every call that was skipped', async () => {
    const crib = await open();
    const { overallStatus, results } = await crib.chains.execute([call(1), call(-1), call(2)]);
    expect(overallStatus).toBe('partial');
    expect(results.map(({ id, status, because }) => [id, status, because])).toEqual([
      ['call1', 'success', undefined],
      ['call2', 'failure', undefined],
      ['call3', 'skipped', 'call2 failed'],
    ]);
  });

  it('continues after a failure with continueOnError; a call that uses the failed one is skipped with the reason', async () => {
    const crib = await open();
    const calls = [call(-1), using('call1'), call(2)];
    const { results } = await crib.chains.execute(calls, { continueOnError: true });
    expect(results.map(({ status }) => status)).toEqual(['failure', 'skipped', 'success']);
    expect(results[1]?.because).toContain('Step call1 has nothing at steps.call1.data.n');
  });

  it('runs a graph as wide as allowed and skips what comes after a failure', async () => {
    const crib = await open();
    const calls = [
      ...[call(1, { id: 'a' }), call(2, { id: 'b' }), call(-1, { id: 'c' })],
      using('a', { id: 'd', dependsOn: ['a', 'b'] }),
      call(3, { id: 'e', dependsOn: ['c'] }),
      call(3, { id: 'f', dependsOn: ['e'] }),
    ];
    const { results } = await crib.chains.execute(calls, { maxConcurrency: 2 });
    expect(results.map(({ status }) => status)).toEqual([
      ...['success', 'success', 'failure', 'success', 'skipped', 'skipped'],
    ]);
    expect(results.at(-1)?.because).toBe('e was skipped');
    expect(most).toBe(2);
  });

  it('takes version, time, dry run and key for each call', async () => {
    const crib = await open();
    const { results } = await crib.chains.execute(
      [call(1, { options: { dryRun: true } }), call(1, { options: { version: '9.9.9' } })],
      { continueOnError: true },
    );
    expect(results[0]?.result?.data).toMatchObject({ verdict: 'allow' });
    expect(results[1]?.error?.code).toBe('TOOL_NOT_FOUND');
    expect(made).toBe(0);
  });

  it.each([
    ['two equal ids', [call(1, { id: 'a' }), call(1, { id: 'a' })], 'Two calls have the id a'],
    ['an unknown call', [using('later'), call(1, { id: 'later' })], 'is not over before'],
    ['a loop', [call(1, { id: 'a', dependsOn: ['a'] })], 'a waits for itself'],
    ['input twice', [call(1, { inputFrom: {} })], 'not both'],
    ['a path to a prototype', [call(1), using('__proto__')], '__proto__'],
  ] as const)('refuses %s before anything runs', async (_what, calls, message) => {
    const crib = await open();
    const refused = crib.chains.execute([...calls]);
    await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(refused).rejects.toThrow(message);
    expect(made).toBe(0);
  });

  it('does not read references in a plain input', async () => {
    const crib = await open();
    const input = { n: { from: 'steps.call1.data.n' } };
    const { results } = await crib.chains.execute([call(1), { tool: 'double', input }]);
    expect(results[1]?.error?.code).toBe('VALIDATION_ERROR');
  });
});

describe('checking and optimizing a chain', () => {
  it('validate names all faults at once, and runs nothing', async () => {
    const crib = await open();
    const { ok, faults } = await crib.chains.validate([
      { tool: 'gone', input: {} },
      { tool: 'double', input: { m: 1 } },
      { tool: 'double', inputFrom: { n: { from: 'steps.call2.data.text' } } },
    ]);
    expect(ok).toBe(false);
    expect(faults.map(({ message }) => message)).toEqual([
      'there is no tool gone',
      'input of double: n is missing',
      'input of double: there is no field m',
      'input of double: steps.call2.data.text cannot be there: nothing has a field text',
    ]);
    expect(made).toBe(0);
  });

  it('validate tells faults of some calls with what the rules say of the others', async () => {
    const crib = await open();
    const calls = [
      { tool: 'gone', input: {} },
      call(1),
      { tool: 'write', inputFrom: { text: { from: 'steps.call2.data.n' } } },
    ];
    const { ok, faults, plan } = await crib.chains.validate(calls, { tools: ['double'] });
    expect(ok).toBe(false);
    expect(faults.map(({ message }) => message)).toEqual(['there is no tool gone']);
    expect(plan?.denied.map(({ step }) => step)).toEqual(['call3']);
    expect(plan?.cost.maxUsd).toBeCloseTo(0.01);
  });

  it('validate says what a good chain costs and asks', async () => {
    const crib = await open();
    const { ok, plan } = await crib.chains.validate([call(1), using('call1')]);
    expect(ok).toBe(true);
    expect(plan?.cost.maxUsd).toBeCloseTo(0.02);
  });

  it('optimize gives a chain that has the same results with fewer calls', async () => {
    const crib = await open();
    const calls = [call(1), call(1), using('call2'), { tool: 'write', input: {} }, call(5)];
    const { calls: better, saves } = await crib.chains.optimize(calls);
    expect(saves).toEqual({ calls: 1, levels: 1 });
    const { overallStatus, results } = await crib.chains.execute(better);
    expect(overallStatus).toBe('success');
    expect(results.map(({ id }) => id)).toEqual(['call1', 'call3', 'call4', 'call5']);
    expect(results[1]?.result?.data).toEqual({ n: 4 });
  });
});

describe('calls that declare what they use', () => {
  const heavy = defineTool({
    name: 'heavy',
    description: 'Uses all memory.',
    tier: 'read_only',
    resourceRequirements: { memory: '900GiB' },
    input: z.looseObject({}),
    run: async (): Promise<string> => {
      running += 1;
      most = Math.max(most, running);
      const { used, waiting } = await crib.chains.resources();
      seen.push([used.memoryBytes, waiting]);
      running -= 1;
      return 'done';
    },
  });
  const seen: unknown[] = [];
  let crib: Awaited<ReturnType<typeof createCribHost>>;

  it('run one after the other where the machine has no room for two', async () => {
    crib = await createCribHost({ store: 'memory', builtins: false, tools: [heavy] });
    cleanup.push(() => crib.close());
    [most, running] = [0, 0];
    const calls = ['a', 'b'].map((id) => ({ id, tool: 'heavy', input: {}, dependsOn: [] }));
    const { overallStatus } = await crib.chains.execute(calls);
    expect(overallStatus).toBe('success');
    expect(most).toBe(1);
    expect(seen).toEqual([
      [900 * 2 ** 30, 1],
      [900 * 2 ** 30, 0],
    ]);
    expect(await crib.chains.resources()).toMatchObject({ used: { memoryBytes: 0 }, running: 0 });
  });
});

describe('optimizing a chain', () => {
  it('does not take a dry run for the call itself, nor calls under different keys for one', async () => {
    const crib = await open();
    const as = (options: ChainCall['options'], id: string): ChainCall => ({
      ...call(1, { id }),
      ...(options && { options }),
    });
    const calls = [
      as({ dryRun: true }, 'dry'),
      as(undefined, 'plain'),
      as({ idempotencyKey: 'one' }, 'one'),
      as({ idempotencyKey: 'two' }, 'two'),
      as({ dryRun: true }, 'dryAgain'),
      using('plain', { id: 'last' }),
    ];
    const { calls: better } = await crib.chains.optimize(calls);
    expect(better.map(({ id }) => id)).toEqual(['dry', 'plain', 'one', 'two', 'last']);
    const { overallStatus, results } = await crib.chains.execute(better);
    expect(overallStatus).toBe('success');
    expect(results.at(-1)?.result?.data).toEqual({ n: 4 });
  });
});

describe('process', () => {
  it('serves what getCapabilities tells', async () => {
    const crib = await open();
    const calls = [call(1), using('call1')];
    for (const operation of crib.getCapabilities().operations) {
      const request = {
        operation,
        ...(operation === 'execute_single' && call(1)),
        ...(operation === 'orchestrate' && {
          calls: [call(1, { id: 'a' }), using('a', { id: 'b', dependsOn: ['a'] })],
        }),
        ...(operation === 'validate' && { calls: [call(1)] }),
        ...(['execute_chain', 'validate_chain', 'optimize_chain'].includes(operation) && { calls }),
      } as never;
      expect(await crib.process(request), operation).toMatchObject({ status: 'success' });
    }
  });

  it('answers for a chain that is too long to be checked', async () => {
    const crib = await open();
    const calls = Array.from({ length: 1_001 }, (_, n) => call(n));
    for (const operation of ['validate_chain', 'optimize_chain', 'execute_chain'] as const) {
      const answer = await crib.process({ operation, calls });
      expect(answer, operation).toMatchObject({
        status: 'failure',
        errors: [{ code: 'VALIDATION_ERROR' }],
      });
    }
  });

  it('validate_chain says what the rules deny, also beside a warning', async () => {
    const crib = await open();
    const calls = [{ tool: 'write', inputFrom: { text: 'steps.a.data' } }];
    const { ok, plan } = await crib.chains.validate(calls, { tools: ['double'] });
    expect(plan?.denied).toHaveLength(1);
    expect(ok).toBe(false);
  });

  it('execute_chain hands results on; a chain that cannot be made is an answer', async () => {
    const crib = await open();
    const good = await crib.process({
      operation: 'execute_chain',
      calls: [call(3), using('call1')],
    });
    expect(good.results[1]?.data).toEqual({ n: 12 });
    expect(good.chain).toMatchObject({
      flow: [{ id: 'call1' }, { id: 'call2', after: ['call1'] }],
      totalResourcesUsed: { costUsd: 0.02 },
    });
    expect(good.chain?.chainId).toEqual(expect.any(String));
    const bad = await crib.process({ operation: 'execute_chain', calls: [using('nobody')] });
    expect(bad).toMatchObject({ status: 'failure', errors: [{ code: 'VALIDATION_ERROR' }] });
  });
});
