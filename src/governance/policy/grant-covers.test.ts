import { describe, expect, it } from 'vitest';
import { ask, NOON, someCaller, someTool } from '../../../test/fixtures/policy-question.ts';
import type { Grant } from '../../contract/grant.ts';
import { createConditionCache, grantCovers } from './grant-covers.ts';

const grantOf = (extra: Partial<Grant> = {}): Grant => ({
  id: 'g',
  subject: {},
  resource: 'tool:mail',
  actions: ['send'],
  skipsApproval: true,
  createdAt: 0,
  by: 'ann',
  ...extra,
});

const question = ask({
  tool: someTool({ name: 'mail' }),
  capability: { action: 'send', description: '' },
  caller: someCaller({ userId: 'u', agentId: 'a', sessionId: 's', roles: ['r'] }),
  input: { to: 'x@example.com' },
});

const target = { resource: 'tool:mail', definition: 'd1' };
const covers = (extra: Partial<Grant>) => grantCovers(grantOf(extra), question, target);

describe('a grant', () => {
  it.each<[string, Partial<Grant>]>([
    ['for everybody', {}],
    ['for all that is named', { subject: { user: 'u', agent: 'a', session: 's', role: 'r' } }],
    ['with a star', { resource: 'tool:*' }],
    ['with a bare star', { resource: '*' }],
    ['for every action', { actions: ['*'] }],
    ['that has not expired', { expiresAt: NOON + 1 }],
    ['for this definition', { definition: 'd1' }],
    ['whose condition holds', { condition: 'input.to.endsWith("@example.com")' }],
  ])('%s covers the call', (_what, extra) => expect(covers(extra)).toBe(true));

  it.each<[string, Partial<Grant>]>([
    ['of another user', { subject: { user: 'v', role: 'r' } }],
    ['of another agent', { subject: { agent: 'b' } }],
    ['of another session', { subject: { session: 't' } }],
    ['of another role', { subject: { user: 'u', role: 'q' } }],
    ['for another tool', { resource: 'tool:mailer' }],
    ['for a prefix without a star', { resource: 'tool:ma' }],
    ['for another prefix', { resource: 'tool:max*' }],
    ['for another action', { actions: ['read'] }],
    ['for no action', { actions: [] }],
    ['that expires now', { expiresAt: NOON }],
    ['for the tool as it was before a rug pull', { definition: 'd0' }],
    ['whose condition does not hold', { condition: 'input.to == "y"' }],
    ['whose condition cannot be evaluated', { condition: 'input.cc == "y"' }],
    ['whose condition is broken', { condition: 'input.to ==' }],
  ])('%s does not', (_what, extra) => expect(covers(extra)).toBe(false));

  it('for one action does not cover a call whose action is unknown', () => {
    const unknown = { ...question, capability: undefined };
    expect(grantCovers(grantOf(), unknown, target)).toBe(false);
    expect(grantCovers(grantOf({ actions: ['*'] }), unknown, target)).toBe(true);
  });

  it('has its condition compiled once where a cache is kept', () => {
    const conditions = createConditionCache();
    const grant = grantOf({ condition: 'input.to == "x@example.com"' });
    const other = { ...question, input: { to: 'y' } };
    expect(grantCovers(grant, question, { ...target, conditions })).toBe(true);
    expect(grantCovers(grant, other, { ...target, conditions })).toBe(false);
    expect(conditions('true')).toBe(conditions('true'));
  });
});
