/** The threat: the key of one inner call meets that of another call, which is then not made at all. */
import { afterEach, describe, expect, it } from 'vitest';
import { aTool, type TestCrib, testCrib } from '../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../contract/context.ts';
import type { Tool, ToolDefinition } from '../contract/tool.ts';
import { createMemoryStore } from '../stores/memory/create-memory-store.ts';

const open: TestCrib[] = [];
afterEach(async () => {
  for (const crib of open.splice(0)) await crib.close();
});

interface Payments {
  readonly crib: TestCrib;
  readonly paid: unknown[];
  readonly keys: string[];
}

const payments = async (outers: Readonly<Record<string, string>>): Promise<Payments> => {
  const paid: unknown[] = [];
  const keys: string[] = [];
  const run = ((input: unknown, { idempotencyKey }: ToolContext) => {
    keys.push(idempotencyKey);
    paid.push(input);
    return 'paid';
  }) as never;
  const pay = aTool({ name: 'pay', tier: 'write', idempotent: true, run });
  const outer = ([name, callKey]: [string, string]): Tool => {
    const work = (_input: unknown, { call }: ToolContext) => call('pay', { by: name }, { callKey });
    const more: Partial<ToolDefinition<never, unknown>> = { run: work as never, callsTools: true };
    return aTool({ name, tier: 'write', ...more });
  };
  const tools = [pay, ...Object.entries(outers).map(outer)];
  const crib = await testCrib(tools, { store: createMemoryStore() });
  open.push(crib);
  return { crib, paid, keys };
};

describe('threat: an inner call that is taken for another one', () => {
  it('hostile: two outer tools with one client key both make their payment', async () => {
    const { crib, paid, keys } = await payments({ buy: '0', rent: '0' });
    const as = { idempotencyKey: 'k' };
    const results = [await crib.execute('buy', {}, as), await crib.execute('rent', {}, as)];
    expect(results.map(({ success }) => success)).toEqual([true, true]);
    expect(paid).toEqual([{ by: 'buy' }, { by: 'rent' }]);
    expect(new Set(keys).size).toBe(2);
  });

  it('hostile: keys whose parts join to the same text are two keys', async () => {
    const { crib, keys } = await payments({ buy: 'b:c', rent: 'c' });
    await crib.execute('buy', {}, { idempotencyKey: 'a' });
    await crib.execute('rent', {}, { idempotencyKey: 'a:b' });
    await crib.execute('rent', {}, { idempotencyKey: 'a' });
    expect(new Set(keys).size).toBe(3);
  });

  it('hostile: a caller who sends the key of an inner call takes nothing from it', async () => {
    const { crib, paid, keys } = await payments({ buy: '0' });
    await crib.execute('buy', {}, { idempotencyKey: 'k' });
    const [idempotencyKey = ''] = keys;
    await crib.execute('pay', { by: 'caller' }, { idempotencyKey });
    expect(paid).toEqual([{ by: 'buy' }, { by: 'caller' }]);
  });

  it('hostile: two users with one key pay twice, also at a service that knows the key', async () => {
    const { crib, keys } = await payments({ buy: '0' });
    for (const userId of ['ann', 'bob']) {
      await crib.execute('buy', {}, { userId, roles: ['owner'], idempotencyKey: 'k' });
    }
    expect(new Set(keys).size).toBe(2);
  });

  it('benign: a second try of the same outer call makes the payment once', async () => {
    let tries = 0;
    const paid: string[] = [];
    const run = ((_input: unknown, { idempotencyKey }: ToolContext) =>
      void paid.push(idempotencyKey)) as never;
    const pay = aTool({ name: 'pay', tier: 'write', idempotent: true, run });
    const work = async (_input: unknown, { call }: ToolContext) => {
      await call('pay', {}, { callKey: '0' });
      tries += 1;
      if (tries === 1) throw new Error('the network went away');
      return tries;
    };
    const retryableErrors = ['EXECUTION_FAILED'] as const;
    const retry = { maxRetries: 2, backoff: { type: 'none' }, retryableErrors } as const;
    const more = { idempotent: true, callsTools: true, retry } as const;
    const buy = aTool({ name: 'buy', tier: 'write', run: work as never, ...more });
    const crib = await testCrib([pay, buy], { store: createMemoryStore() });
    open.push(crib);
    expect(await crib.execute('buy', {}, { idempotencyKey: 'k' })).toMatchObject({ data: 2 });
    expect(paid).toHaveLength(1);
  });
});
