import { describe, expect, it, vi } from 'vitest';
import type { Identity } from './identity.ts';
import { createIdentityCheck } from './recheck-identities.ts';

const NOW = 1_000;

const identity = (kind: Identity['kind'], key: string, expiresAt?: number): Identity => ({
  kind,
  key,
  userId: 'somebody',
  role: 'agent',
  ...(expiresAt !== undefined && { expiresAt }),
});

const standingWith = (liveAmong: (ids: readonly string[]) => Promise<ReadonlySet<string>>) => {
  const warn = vi.fn();
  const log = { debug: vi.fn(), info: vi.fn(), warn, error: vi.fn() };
  const standing = createIdentityCheck({
    runtime: { now: () => NOW, log },
    tokens: { liveAmong },
    sessions: { isOpen: (key) => key === 'open' },
  });
  return { standing, warn };
};

const TOKEN = identity('token', 'token:good');
const REVOKED = identity('token', 'token:bad');
const SESSION = identity('session', 'session:open');
const ENDED = identity('session', 'session:over');
const JWT = identity('jwt', 'jwt:alice', NOW + 1);
const EXPIRED = identity('jwt', 'jwt:bob', NOW);
const ENDLESS = identity('jwt', 'jwt:carol');

describe('who came in a while ago', () => {
  it('may stay while what let them in is good', async () => {
    const { standing } = standingWith(async () => new Set(['good']));
    const all = [TOKEN, REVOKED, SESSION, ENDED, JWT, EXPIRED, ENDLESS];
    const isGood = await standing(all);
    expect(all.filter(isGood)).toEqual([TOKEN, SESSION, JWT]);
  });

  it('is asked about once, however many streams a token has', async () => {
    const liveAmong = vi.fn(async (ids: readonly string[]) => new Set(ids));
    const { standing } = standingWith(liveAmong);
    await standing([TOKEN, TOKEN, REVOKED, TOKEN]);
    expect(liveAmong.mock.calls).toEqual([[['good', 'bad']]]);
    await standing([SESSION, JWT]);
    expect(liveAmong).toHaveBeenCalledTimes(1);
  });

  it('loses a token that nobody can vouch for, and keeps a session', async () => {
    const { standing, warn } = standingWith(() => Promise.reject(new Error('locked')));
    const isGood = await standing([TOKEN, SESSION]);
    expect([isGood(TOKEN), isGood(SESSION)]).toEqual([false, true]);
    expect(warn).toHaveBeenCalledTimes(1);
  });
});
