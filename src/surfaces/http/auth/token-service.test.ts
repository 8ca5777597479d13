/** Tokens that are believed for a moment, and never longer than that. */
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { TokenRecord, Tokens } from '../../../contract/tokens.ts';
import { createTokenService, type TokenService } from './token-service.ts';

let records: Map<string, TokenRecord>;
let reads: number;
let touched: number[];
let now: number;
let hold: Promise<void> | undefined;
let service: TokenService;
let elsewhere: TokenService;

const log = { debug() {}, info() {}, warn() {}, error() {} };

beforeEach(() => {
  records = new Map();
  reads = 0;
  touched = [];
  now = 1_000_000;
  hold = undefined;
  const tokens: Tokens = {
    add: async (record) => void records.set(record.id, record),
    get: async (id) => {
      reads += 1;
      const record = records.get(id);
      await hold;
      return record;
    },
    list: async () => [...records.values()],
    revoke: async (id, at) => {
      const record = records.get(id);
      if (record) records.set(id, { ...record, revokedAt: at });
      return record !== undefined;
    },
    touch: async (_, at) => void touched.push(at),
  };
  const deps = { runtime: { now: () => now, log }, randomBytes, tokens: async () => tokens };
  service = createTokenService(deps);
  elsewhere = createTokenService(deps);
});

const make = (expiresAt?: number) =>
  service.create(
    { name: 'a', role: 'agent', ...(expiresAt !== undefined && { expiresAt }) },
    'test',
  );

describe('a valid token', () => {
  it('is not looked up again for a second', async () => {
    const { token, record } = await make();
    for (let at = 0; at < 10; at++) expect(await service.verify(token)).toEqual(record);
    expect(reads).toBe(1);
    now += 1000;
    expect(await service.verify(token)).toEqual(record);
    expect(reads).toBe(2);
  });

  it('has its use written to the store once a minute', async () => {
    const { token } = await make();
    for (let at = 0; at < 10; at++) await service.verify(token);
    now += 30_000;
    await service.verify(token);
    expect(touched).toEqual([1_000_000]);
    now += 30_000;
    await service.verify(token);
    expect(touched).toEqual([1_000_000, 1_060_000]);
  });
});

describe('threat: a token that is no longer valid', () => {
  it('is refused at once when it was revoked here', async () => {
    const { token, record } = await make();
    await service.verify(token);
    await service.revoke(record.id);
    expect(await service.verify(token)).toBeUndefined();
  });

  it('is refused within a second when another process revoked it', async () => {
    const { token, record } = await make();
    await service.verify(token);
    await elsewhere.revoke(record.id);
    now += 1000;
    expect(await service.verify(token)).toBeUndefined();
  });

  it('is not cached by a look-up that began before it was revoked', async () => {
    const { token, record } = await make();
    let open: () => void = () => undefined;
    hold = new Promise((resolve) => {
      open = resolve;
    });
    const late = service.verify(token);
    while (reads === 0) await Promise.resolve();
    await service.revoke(record.id);
    hold = undefined;
    open();
    await late;
    expect(await service.verify(token)).toBeUndefined();
  });

  it('is refused the moment it expires', async () => {
    const { token } = await make(now + 500);
    expect(await service.verify(token)).toBeDefined();
    now += 500;
    expect(await service.verify(token)).toBeUndefined();
  });

  it('does not last longer because the clock was set back', async () => {
    const { token, record } = await make();
    await service.verify(token);
    await elsewhere.revoke(record.id);
    now -= 3_600_000;
    expect(await service.verify(token)).toBeUndefined();
  });
});

describe('threat: a wrong secret', () => {
  it('is refused while the record of its token is cached', async () => {
    const { token } = await make();
    await service.verify(token);
    const last = token.endsWith('A') ? 'B' : 'A';
    expect(await service.verify(token.slice(0, -1) + last)).toBeUndefined();
    expect(await service.verify(token)).toBeDefined();
  });

  it('is refused for a record without a proper hash', async () => {
    const { token, record } = await make();
    records.set(record.id, { ...record, hash: 'zz' });
    expect(await service.verify(token)).toBeUndefined();
  });
});
