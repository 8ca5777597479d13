/** What a refused call is told to do next. */
import { expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';

it.each([
  ['user:2026-11-15:ada', 'or wait for the next day.'],
  ['free:2026-11:pay', 'or wait for the next month.'],
  ['session:all:ada/chat', 'or start a new session.'],
  ['flow:all:ada/run', 'or start a new flow.'],
])('a call over the budget %s is advised: %s', async (scope, advice) => {
  const store = createMemoryStore();
  store.ledger.reserve = async () => ({ ok: false, scope, unit: 'micros', available: 0 });
  const tool = aTool({ name: 'pay', cost: { model: 'usage_based', fixed: 0.5 } });
  const crib = await testCrib([tool], { store, config: { budget: { dailyUsd: 1 } } });
  const { error } = await crib.execute('pay', {});
  expect(error?.code).toBe('BUDGET_EXCEEDED');
  expect(error?.suggestions?.join(' ')).toContain(advice);
});
