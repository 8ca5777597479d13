/** What a budget answers about a scope that nothing was booked under yet. */
import { expect, it } from 'vitest';
import { judgeMore } from './budget-amounts.ts';

const scopes = [{ key: 'user:u', limitMicros: 10, limitTokens: 5, limitCalls: 1 }];
const unknown = () => undefined;

it('a call that asks for more under an unknown scope has the whole limit, and no more', () => {
  expect(judgeMore({ scopes }, { micros: 10, tokens: 5 }, unknown)).toEqual({ ok: true });
  expect(judgeMore({ scopes }, { micros: 11, tokens: 0 }, unknown)).toEqual({
    ok: false,
    scope: 'user:u',
    unit: 'micros',
    available: 10,
  });
  expect(judgeMore({ scopes }, { micros: 0, tokens: 6 }, unknown)).toEqual({
    ok: false,
    scope: 'user:u',
    unit: 'tokens',
    available: 5,
  });
});
