import { describe, expect, it } from 'vitest';
import { callerOfIdentity, type GivenNames, type Identity } from './identity.ts';

const TOOLS = { get: () => undefined };

const identity = (userId: string): Identity => ({
  kind: 'jwt',
  key: userId,
  userId,
  role: 'agent',
});

const namesOf = (userId: string, given?: GivenNames) => {
  const { agentId, sessionId, authenticated } = callerOfIdentity(identity(userId), TOOLS, given);
  return { agentId, sessionId, authenticated };
};

const PROVEN = { userId: 'oidc:ada', agentId: 'oidc:ada', sessionId: 'oidc:ada' };

describe('the caller of an identity', () => {
  it.each([
    [undefined, 'oidc:ada'],
    ['scout', 'oidc:ada/scout'],
    ['local', 'oidc:ada/local'],
    ['oidc:bob', 'oidc:ada/oidc:bob'],
    ['oidc:bob/scout', 'oidc:ada/oidc:bob/scout'],
    ['oidc:adam/scout', 'oidc:ada/oidc:adam/scout'],
    ['oidc:ada', 'oidc:ada'],
    ['oidc:ada/scout', 'oidc:ada/scout'],
  ])('that calls itself %j is %j, and what was proven stays the same', (name, full) => {
    const given = name === undefined ? {} : { agentId: name, sessionId: name };
    expect(namesOf('oidc:ada', given)).toEqual({
      agentId: full,
      sessionId: full,
      authenticated: PROVEN,
    });
  });

  it('cannot make the name of another by the slash in a subject', () => {
    const other = namesOf('oidc:ada/scout');
    expect(other.agentId).toBe('oidc:ada%2Fscout');
    for (const agentId of ['scout', 'ada%2Fscout', 'oidc:ada%2Fscout', 'oidc:ada/scout']) {
      expect(namesOf('oidc:ada', { agentId }).agentId).not.toBe(other.agentId);
    }
    expect(namesOf('oidc:ada%2Fscout').agentId).not.toBe(other.agentId);
    expect(namesOf('oidc:ada/scout', other).agentId).toBe(other.agentId);
  });
});
