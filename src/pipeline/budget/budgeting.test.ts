/** Which calls may spend, within which limits, and when the search for a smaller hold ends. */
import { expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../../contract/context.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { Budgeting } from './budgeting.ts';
import { callScopesUnder } from './call-scopes.ts';
import { callOfFreeHold, freeHoldOf } from './holds.ts';

it('a call that no budget has admitted gets no purse', () => {
  const budgeting = new Budgeting({ limits: {}, ledger: {} } as never);
  expect(() => budgeting.purse({ ready: { tool: aTool({ name: 'pay' }) } } as never)).toThrow(
    'Only a running tool can spend money.',
  );
});

it('a hold of a free call names its call, and any other hold is the call itself', () => {
  expect(callOfFreeHold(freeHoldOf('e'))).toBe('e');
  expect(callOfFreeHold('e')).toBe('e');
});

it('a tool that charges is stopped when the ledger offers enough and refuses it every time', async () => {
  const store = createMemoryStore();
  let reservations = 0;
  store.ledger.reserve = async () => {
    reservations++;
    return { ok: false, scope: 'user:u', unit: 'micros', available: 1_000_000 };
  };
  const run = (_input: unknown, { charge }: ToolContext) => charge({ cost: 0.01 });
  const crib = await testCrib([aTool({ name: 'pay', run: run as never })], {
    store,
    config: { budget: { dailyUsd: 1 } },
  });
  expect((await crib.execute('pay', {})).error?.code).toBe('BUDGET_EXCEEDED');
  expect(reservations).toBe(5);
});

it('a call made by another one may spend the smaller of the two limits', () => {
  const scopesOf = callScopesUnder({ dailyUsd: 10 });
  const call = (dailyUsd: number, parent?: object) => ({
    caller: { userId: 'u', agentId: 'a', sessionId: 's' },
    ready: { tool: aTool({ name: 'pay' }) },
    options: { dailyUsd },
    parent,
  });
  const limitOf = (own: number, outer: number) =>
    scopesOf(call(own, call(outer)) as never, 0)[0]?.limitMicros;
  expect([limitOf(2, 1), limitOf(1, 2)]).toEqual([1_000_000, 1_000_000]);
});

it('a call that costs nothing takes none of the free calls of its tool', async () => {
  const cost = { model: 'usage_based', perUnit: { unit: 'record', price: 0.1, inputField: 'n' } };
  const tool = aTool({
    name: 'pay',
    input: { type: 'object', properties: { n: { type: 'number' } } },
    cost: { ...cost, freeTierLimit: 1 } as never,
  });
  const crib = await testCrib([tool], { config: { budget: { dailyUsd: 1, dailyCalls: 9 } } });
  for (const n of [0, 0, 0]) expect((await crib.execute('pay', { n })).success).toBe(true);
  const lines = await crib.usage.summary();
  expect(lines.filter(({ kind }) => kind === 'free')).toEqual([]);
});
