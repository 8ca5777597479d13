import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import type { TokenRecord, Tokens } from '../../contract/tokens.ts';
import type { Identity } from './auth/identity.ts';
import { createTokenService } from './auth/token-service.ts';
import { createIdentityCheck, HeldStreams } from './held-streams.ts';

const SECOND = 1000;

const holder = (id: string): Identity => ({
  kind: 'token',
  key: `token:${id}`,
  userId: `token:${id}`,
  role: 'viewer',
});

const person: Identity = { kind: 'session', key: 'session:s', userId: 'local', role: 'admin' };

const record = (id: string): TokenRecord => ({
  id,
  name: id,
  role: 'viewer',
  hash: '',
  createdAt: 0,
  createdBy: 'test',
});

/** A store whose tokens are all good, but for those in `revoked`; it counts what it is asked. */
const opened = (more: Partial<Tokens> = {}) => {
  const runtime = fakeRuntime();
  const revoked = new Set<string>();
  const asked = { get: 0, list: 0 };
  const shown = (id: string): TokenRecord =>
    revoked.has(id) ? { ...record(id), revokedAt: 1 } : record(id);
  const store = {
    get: async (id: string) => {
      asked.get += 1;
      return shown(id);
    },
    list: async () => {
      asked.list += 1;
      return Array.from({ length: 1000 }, (_, n) => shown(`t${n}`));
    },
    ...more,
  } as Tokens;
  const tokens = createTokenService({
    runtime,
    randomBytes: (size) => new Uint8Array(size),
    tokens: async () => store,
  });
  const sessions = { isOpen: () => true };
  const streams = new HeldStreams(runtime, createIdentityCheck({ runtime, tokens, sessions }));
  const ended: string[] = [];
  const hold = (identity: Identity) =>
    streams.hold(identity, () => void ended.push(identity.userId));
  return { runtime, revoked, asked, streams, ended, hold };
};

describe('HeldStreams', () => {
  it('watches a thousand streams with one timer, and asks once about each token', async () => {
    const { runtime, asked, hold, ended } = opened();
    for (let n = 0; n < 1000; n += 1) hold(holder(`t${n % 3}`));
    expect(runtime.pendingTimers).toBe(1);
    await runtime.advance(SECOND);
    expect([asked, runtime.pendingTimers, ended]).toEqual([{ get: 3, list: 0 }, 1, []]);
  });

  it('reads the list of tokens once where there are many', async () => {
    const { runtime, asked, hold, ended, revoked } = opened();
    for (let n = 0; n < 1000; n += 1) hold(holder(`t${n}`));
    revoked.add('t7');
    await runtime.advance(SECOND);
    expect([asked, ended]).toEqual([{ get: 0, list: 1 }, ['token:t7']]);
  });

  it('checks nothing while no stream is open', async () => {
    const { runtime, asked, hold } = opened();
    const releases = [hold(holder('t1')), hold(holder('t1'))];
    for (const release of releases) release();
    expect(runtime.pendingTimers).toBe(0);
    await runtime.advance(10 * SECOND);
    expect(asked.get).toBe(0);
  });

  it('checks again when a session ends during a check', async () => {
    const answers: ((found: TokenRecord) => void)[] = [];
    const get = () => new Promise<TokenRecord>((resolve) => void answers.push(resolve));
    const { runtime, streams, hold, ended } = opened({ get });
    hold(holder('t1'));
    void streams.recheck();
    await runtime.advance(0);
    void streams.recheck();
    answers[0]?.(record('t1'));
    await runtime.advance(0);
    expect(ended).toEqual([]);
    answers[1]?.({ ...record('t1'), revokedAt: 1 });
    await runtime.advance(0);
    expect(ended).toEqual(['token:t1']);
  });

  it('threat: a store that fails ends the streams of tokens, not those of sessions', async () => {
    const get = async () => {
      throw new Error('no store');
    };
    const { runtime, hold, ended } = opened({ get });
    hold(holder('t1'));
    hold(person);
    await runtime.advance(SECOND);
    expect(ended).toEqual(['token:t1']);
  });

  it('threat: a store that never answers keeps no stream open', async () => {
    const { runtime, hold, ended } = opened({ get: () => new Promise(() => undefined) });
    hold(holder('t1'));
    await runtime.advance(10 * SECOND);
    expect(ended).toEqual(['token:t1']);
  });

  it('threat: the stream of an unknown kind of identity, or of a JWT without an end, is ended', async () => {
    const { runtime, hold, ended } = opened();
    hold({ kind: 'jwt', key: 'oidc:a', userId: 'oidc:a', role: 'viewer' });
    hold({ ...person, kind: 'other' as never, userId: 'other' });
    await runtime.advance(SECOND);
    expect(ended).toEqual(['oidc:a', 'other']);
  });

  it('stops checking once it is closed', async () => {
    const { runtime, streams, hold, ended, revoked } = opened();
    hold(holder('t1'));
    revoked.add('t1');
    streams.close();
    await runtime.advance(5 * SECOND);
    expect([ended, runtime.pendingTimers]).toEqual([[], 0]);
  });
});
