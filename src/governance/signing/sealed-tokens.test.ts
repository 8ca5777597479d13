import { describe, expect, it } from 'vitest';
import { openTestKey } from '../../../test/fixtures/signing-key.ts';
import type { TokenRecord } from '../../contract/tokens.ts';
import { memoryTokens } from '../../stores/memory/memory-tokens.ts';
import { Seals } from '../approvals/seals.ts';
import { sealedTokens, tokenText } from './sealed-tokens.ts';

const record: TokenRecord = {
  id: 't1',
  name: 'ada',
  role: 'viewer',
  hash: 'abc',
  createdAt: 1,
  createdBy: 'local',
};

const quiet = { warn: () => undefined };

const processOf = (key = openTestKey()) => {
  const tokens = memoryTokens();
  const seals = () => new Seals(async () => key, quiet);
  return { tokens, sealed: () => sealedTokens(tokens, seals()) };
};

describe('a sealed token', () => {
  it('counts in another process of the same user, also after use and revocation', async () => {
    const { sealed } = processOf();
    await sealed().add(record);
    await sealed().touch('t1', 5);
    expect(await sealed().get('t1')).toMatchObject({ role: 'viewer', lastUsedAt: 5 });
    expect(await sealed().revoke('t1', 6)).toBe(true);
    expect(await sealed().get('t1')).toMatchObject({ revokedAt: 6 });
    expect(await sealed().list()).toHaveLength(1);
    expect(await sealed().get('t2')).toBeUndefined();
  });

  it('that was put into the store without a seal, or with one of another key, is refused', async () => {
    const { tokens, sealed } = processOf();
    await tokens.add(record);
    const seal = openTestKey().sign(tokenText({ ...record, id: 't2' }));
    await tokens.add({ ...record, id: 't2', seal });
    expect(await sealed().get('t1')).toBeUndefined();
    expect(await sealed().get('t2')).toBeUndefined();
    expect(await sealed().list()).toEqual([]);
  });

  it.each([
    { role: 'admin' as const },
    { hash: 'def' },
    { name: 'eve' },
    { expiresAt: 9 },
    { policy: { tools: ['x'] } },
  ])('is refused once it is changed: %j', async (change) => {
    const key = openTestKey();
    const { tokens, sealed } = processOf(key);
    await sealed().add(record);
    const kept = { ...record, ...(await tokens.get('t1')) };
    const [same, changed] = [processOf(key), processOf(key)];
    await same.tokens.add(kept);
    await changed.tokens.add({ ...kept, ...change });
    expect(await same.sealed().get('t1')).toMatchObject({ id: 't1' });
    expect(await changed.sealed().get('t1')).toBeUndefined();
  });

  it('is not given for the row of another id', async () => {
    const key = openTestKey();
    const { tokens, sealed } = processOf(key);
    await sealed().add(record);
    const swapped = sealedTokens(
      { ...tokens, get: () => tokens.get('t1') },
      new Seals(async () => key, quiet),
    );
    expect(await swapped.get('t1')).toMatchObject({ id: 't1' });
    expect(await swapped.get('t9')).toBeUndefined();
  });

  it('made without a key counts in the process that made it, and nowhere else', async () => {
    const tokens = memoryTokens();
    const keyless = () =>
      sealedTokens(tokens, new Seals(() => Promise.reject(new Error('no home')), quiet));
    const here = keyless();
    await here.add(record);
    expect(await here.get('t1')).toMatchObject({ id: 't1' });
    expect(await keyless().get('t1')).toBeUndefined();
  });
});
