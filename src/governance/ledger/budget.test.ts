import { describe, expect, it } from 'vitest';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import {
  type BudgetedCall,
  type BudgetLimits,
  budgetScopesUnder,
  countsFreeCalls,
  freeTierScope,
  limitsFor,
} from './budget.ts';

const NOW = Date.UTC(2026, 10, 15, 12);
const caller = { ...LOCAL_CALLER, userId: 'ada', agentId: 'bot', sessionId: 's1' };
const call = { caller, tool: 'search', flowId: undefined, now: NOW };
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

const limitOf = (limits: BudgetLimits, key: string, from = call) =>
  budgetScopesUnder(limits)(from).find((scope) => scope.key === key);

describe('the budgets a call draws on', () => {
  it('are those of user, tool, agent and session, with or without a limit', () => {
    expect(budgetScopesUnder({ dailyUsd: 10 })(call)).toEqual([
      { key: 'user:2026-11-15:ada', limitMicros: 10_000_000 },
      { key: 'tool:2026-11-15:search', limitMicros: NO_LIMIT },
      { key: 'agent:2026-11-15:bot', limitMicros: NO_LIMIT },
      { key: 'session:all:ada/s1', limitMicros: NO_LIMIT },
    ]);
  });

  it('are those that were proven of a caller that names itself, and its sessions last a day', () => {
    const authenticated = { userId: 'token:x', agentId: 'token:x', sessionId: 'token:1' };
    const itself = { ...caller, userId: 'token:x', agentId: 'a', sessionId: 's', authenticated };
    const scopes = budgetScopesUnder({ dailyUsd: 10 })({ ...call, caller: itself });
    expect(scopes.map(({ key }) => key)).toEqual([
      'user:2026-11-15:token:x',
      'tool:2026-11-15:search',
      'agent:2026-11-15:token:x',
      'session:2026-11-15:token:x/token:1',
    ]);
  });

  it('include the flow of a call that is a step of one', () => {
    const limits = { dailyUsd: 1, perFlow: { usd: 0.5, calls: 3 } };
    const step = { ...call, flowId: 'f/1' as string | undefined };
    expect(budgetScopesUnder(limits)(step as typeof call).at(-1)).toEqual({
      key: 'flow:all:ada/f/1',
      limitMicros: 500_000,
      limitCalls: 3,
    });
  });

  it('have the limits of money, calls and tokens that are configured', () => {
    const limits: BudgetLimits = {
      dailyUsd: 1,
      dailyCalls: 5,
      dailyTokens: 6,
      perTool: { search: 0.25 },
      perAgent: { tokens: 7 },
      perSession: { usd: 0 },
    };
    expect(limitOf(limits, 'user:2026-11-15:ada')).toMatchObject({ limitCalls: 5, limitTokens: 6 });
    expect(limitOf(limits, 'tool:2026-11-15:search')).toMatchObject({ limitMicros: 250_000 });
    expect(limitOf(limits, 'agent:2026-11-15:bot')).toMatchObject({ limitTokens: 7 });
    expect(limitOf(limits, 'session:all:ada/s1')).toMatchObject({ limitMicros: 0 });
  });

  it('take a tool by its own name only: `constructor` has no limit', () => {
    const limits = { dailyUsd: 1, perTool: { search: { calls: 1 } } };
    expect(limitsFor(limits, 'tool', 'constructor')).toEqual({});
    expect(limitsFor(limits, 'tool', 'search')).toEqual({ calls: 1 });
    expect(limitsFor(limits, 'free', 'search')).toEqual({});
    expect(limitsFor(limits, 'flow', 'f')).toEqual({});
  });

  it('keep the sessions of two users apart, whatever they are called', () => {
    const key = (userId: string, sessionId: string) =>
      budgetScopesUnder({ dailyUsd: 1 })({ ...call, caller: { ...caller, userId, sessionId } })[3]
        ?.key;
    expect(key('a/b', 'c')).not.toBe(key('a', 'b/c'));
    expect(key('a%2Fb', 'c')).not.toBe(key('a/b', 'c'));
  });
});

describe('the budgets of calls that follow each other', () => {
  const limits = { dailyUsd: 1, perTool: { search: 0.25 }, perAgent: { calls: 3 } };
  const changes: readonly (readonly [string, Partial<BudgetedCall>])[] = [
    ['nothing', {}],
    ['the user', { caller: { ...caller, userId: 'bob' } }],
    ['the agent', { caller: { ...caller, agentId: 'other' } }],
    ['the session', { caller: { ...caller, sessionId: 's2' } }],
    [
      'user and session, so that the names run together',
      {
        caller: { ...caller, userId: 'ada/s1', sessionId: '' },
      },
    ],
    ['the tool', { tool: 'fetch' }],
    ['the flow', { flowId: 'f1' }],
    ['the day', { now: NOW + 86_400_000 }],
    ['the day, backwards', { now: NOW - 86_400_000 }],
    ['the last moment of the day', { now: Date.UTC(2026, 10, 16) - 1 }],
    ['the first moment of the next', { now: Date.UTC(2026, 10, 16) }],
  ];

  it.each(changes)('are those of a first call, whatever changes: %s', (_name, change) => {
    const scopesOf = budgetScopesUnder(limits);
    scopesOf(call);
    const other = { ...call, ...change };
    expect(scopesOf(other)).toEqual(budgetScopesUnder(limits)(other));
    expect(scopesOf(call)).toEqual(budgetScopesUnder(limits)(call));
  });

  it('cannot be changed by a caller that received them before', () => {
    const scopesOf = budgetScopesUnder(limits);
    const [first] = scopesOf(call);
    expect(() => Object.assign(first ?? {}, { limitMicros: 9e9 })).toThrow(TypeError);
    expect(() => Object.assign(scopesOf(call), { length: 0 })).toThrow(TypeError);
    expect(scopesOf(call)).toHaveLength(4);
  });
});

describe('calls without a price', () => {
  it.each([
    ['no counting limit', {}, false],
    ['calls of a user', { dailyCalls: 1 }, true],
    ['tokens of a user', { dailyTokens: 1 }, true],
    ['calls of the tool', { perTool: { search: { calls: 1 } } }, true],
    ['money of the tool', { perTool: { search: 3 } }, false],
    ['calls of another tool', { perTool: { other: { calls: 1 } } }, false],
    ['tokens of an agent', { perAgent: { tokens: 1 } }, true],
    ['calls of a session', { perSession: { calls: 1 } }, true],
    ['calls of a flow', { perFlow: { calls: 1 } }, true],
    ['money of a flow', { perFlow: { usd: 1 } }, false],
  ])('are booked where a limit counts them: %s', (_name, limits, counted) => {
    expect(countsFreeCalls({ dailyUsd: 1, ...limits }, 'search')).toBe(counted);
  });

  it('that a service gives away are counted by the month, for all users together', () => {
    expect(freeTierScope('search', 100, NOW)).toEqual({
      key: 'free:2026-11:search',
      limitMicros: NO_LIMIT,
      limitCalls: 100,
    });
  });
});
