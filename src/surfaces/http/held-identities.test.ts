import { describe, expect, it, vi } from 'vitest';
import type { Identity } from './auth/identity.ts';
import { createIdentityCheck } from './held-streams.ts';

const NOW = 1_000;

const identity = (kind: Identity['kind'], key: string, expiresAt?: number): Identity => ({
  kind,
  key,
  userId: 'somebody',
  role: 'agent',
  ...(expiresAt !== undefined && { expiresAt }),
});

const checkWith = (liveAmong: (ids: readonly string[]) => Promise<ReadonlySet<string>>) => {
  const warn = vi.fn();
  const log = { debug: vi.fn(), info: vi.fn(), warn, error: vi.fn() };
  const check = createIdentityCheck({
    runtime: { now: () => NOW, log },
    tokens: { liveAmong },
    sessions: { isOpen: (key) => key === 'open' },
  });
  return { check, warn };
};

const TOKEN = identity('token', 'token:good');
const REVOKED = identity('token', 'token:bad');
const SESSION = identity('session', 'session:open');
const ENDED = identity('session', 'session:over');
const JWT = identity('jwt', 'jwt:alice', NOW + 1);
const EXPIRED = identity('jwt', 'jwt:bob', NOW);
const ENDLESS = identity('jwt', 'jwt:carol');

describe('the check of identities behind open streams', () => {
  it('lets those stay whose token, session or JWT is still valid', async () => {
    const { check } = checkWith(async () => new Set(['good']));
    const all = [TOKEN, REVOKED, SESSION, ENDED, JWT, EXPIRED, ENDLESS];
    const isGood = await check(all);
    expect(all.filter(isGood)).toEqual([TOKEN, SESSION, JWT]);
  });

  it('looks a token up once, however many streams it has', async () => {
    const liveAmong = vi.fn(async (ids: readonly string[]) => new Set(ids));
    const { check } = checkWith(liveAmong);
    await check([TOKEN, TOKEN, REVOKED, TOKEN]);
    expect(liveAmong.mock.calls).toEqual([[['good', 'bad']]]);
    await check([SESSION, JWT]);
    expect(liveAmong).toHaveBeenCalledTimes(1);
  });

  it('ends the streams of tokens, and not of sessions, when the store fails', async () => {
    const { check, warn } = checkWith(() => Promise.reject(new Error('locked')));
    const isGood = await check([TOKEN, SESSION]);
    expect([isGood(TOKEN), isGood(SESSION)]).toEqual([false, true]);
    expect(warn).toHaveBeenCalledTimes(1);
  });
});
