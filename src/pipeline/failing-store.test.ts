/** Calls whose store fails for a moment: what the tool did is kept, and nothing is done twice. */
import { afterEach, describe, expect, it } from 'vitest';
import { openFailingStore, type StoreMethod } from '../../test/fixtures/failing-store.ts';
import { aTool, testCrib } from '../../test/fixtures/test-crib.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const open = async () => {
  const failing = openFailingStore();
  const seen = { runs: 0 };
  const cost = { model: 'usage_based', fixed: 0.01 } as const;
  const pay = aTool({ name: 'pay', tier: 'write', cost, run: () => ++seen.runs });
  const crib = await testCrib([pay], { store: failing.store });
  cleanup.push(() => crib.close());
  return { ...failing, seen, crib };
};

const KEY = { idempotencyKey: 'once' };

describe('a call whose store fails for a moment', () => {
  it('after its tool has run succeeds, and its cost is booked later', async () => {
    const { crib, fail, unused, seen } = await open();
    fail('ledger.settle');
    expect(await crib.execute('pay', {})).toMatchObject({ success: true, data: 1 });
    expect(unused()).toEqual([]);
    await crib.runtime.advance(1_500);
    const [user] = await crib.usage.summary();
    expect(user).toMatchObject({ usd: 0.01, heldUsd: 0 });
    expect(seen.runs).toBe(1);
  });

  it('before its key has a result succeeds, and the key answers later', async () => {
    const { crib, fail, unused, seen } = await open();
    fail('replays.finish');
    expect(await crib.execute('pay', {}, KEY)).toMatchObject({ success: true, data: 1 });
    expect(unused()).toEqual([]);
    expect(await crib.execute('pay', {}, KEY)).toMatchObject({ error: { keyHeld: true } });
    await crib.runtime.advance(1_500);
    expect(await crib.execute('pay', {}, KEY)).toMatchObject({ success: true, data: 1 });
    expect(seen.runs).toBe(1);
  });

  it.each<StoreMethod>(['replays.claim', 'ledger.reserve', 'audit.intend', 'audit.append'])(
    'at %s says that its key brings the result later, and does not run twice',
    async (method) => {
      const { crib, fail, unused, seen } = await open();
      fail(method);
      expect(await crib.execute('pay', {}, KEY)).toMatchObject({
        error: { code: 'STORE_UNAVAILABLE', keyHeld: true },
      });
      expect(unused()).toEqual([]);
      await crib.runtime.advance(1_500);
      expect(await crib.execute('pay', {}, KEY)).toMatchObject({ success: true, data: 1 });
      expect(seen.runs).toBe(1);
      expect(await crib.audit.verify()).toMatchObject({ ok: true });
    },
  );

  it('twice says the same: where its key cannot be claimed, and that cannot be recorded', async () => {
    const { crib, fail, unused, seen } = await open();
    fail('replays.claim');
    fail('audit.append');
    expect(await crib.execute('pay', {}, KEY)).toMatchObject({ error: { keyHeld: true } });
    expect(unused()).toEqual([]);
    await crib.runtime.advance(1_500);
    expect(await crib.execute('pay', {}, KEY)).toMatchObject({ success: true, data: 1 });
    expect(seen.runs).toBe(1);
  });

  it('says nothing of a key where it has none', async () => {
    const { crib, fail } = await open();
    fail('audit.intend');
    const { error } = await crib.execute('pay', {});
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    expect(error).not.toHaveProperty('keyHeld');
  });
});
