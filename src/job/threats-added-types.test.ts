/** Agents add jobs only of types whose work is judged, or that the program or their token opens to them. */
import { describe, expect, it } from 'vitest';
import { type Caller, LOCAL_CALLER } from '../contract/caller.ts';
import { assertMayAdd } from './may-add.ts';

const NAMES = { userId: 'token:a', agentId: 'token:a', sessionId: 'token:1' };
const caller = (part: Partial<Caller>): Caller => ({ ...LOCAL_CALLER, ...part });
const overHttp = (roles: readonly string[], tools?: readonly string[]): Caller =>
  caller({ ...NAMES, roles, authenticated: NAMES, ...(tools && { tools }) });
const add = (type: string, as: Caller, openToAgents?: boolean) => () =>
  assertMayAdd({ type, ...(openToAgents !== undefined && { openToAgents }) }, as);

describe('a type of job with a handler of the program', () => {
  it.each([
    ['a token of the role agent', overHttp(['agent'])],
    ['a token of the role viewer', overHttp(['viewer'])],
    ['an identity without a role', overHttp([])],
    ['an agent that the program names', caller({ roles: ['agent'] })],
    ['a token of an operator whose list names other tools', overHttp(['operator'], ['echo'])],
    ['a token whose list names another job', overHttp(['agent'], ['job:refunds'])],
  ])('hostile: is not added by %s', (_, as) => {
    expect(add('refund', as)).toThrow(expect.objectContaining({ code: 'PERMISSION_DENIED' }));
  });

  it.each([
    ['the local owner', LOCAL_CALLER],
    ['a user that the program names', caller({ userId: 'ada', roles: [] })],
    ['an admin', overHttp(['admin'])],
    ['an operator', overHttp(['operator'])],
    ['a person at the console', overHttp(['owner', 'admin'])],
    ['an agent whose token names the job', overHttp(['agent'], ['job:refund'])],
  ])('is added by %s', (_, as) => {
    expect(add('refund', as)).not.toThrow();
  });

  it('is added by agents where the program opens it to them, but for tokens with a list', () => {
    expect(add('refund', overHttp(['agent']), true)).not.toThrow();
    expect(add('refund', overHttp(['agent']), false)).toThrow();
    expect(add('refund', overHttp(['agent'], ['echo']), true)).toThrow();
  });
});

it.each(['tool', 'flow'])(
  'jobs of the type %s are added by agents: their calls are judged',
  (type) => {
    expect(add(type, overHttp(['agent']))).not.toThrow();
    expect(add(type, overHttp(['agent'], ['echo']))).not.toThrow();
  },
);
