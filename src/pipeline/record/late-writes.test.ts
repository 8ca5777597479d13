/** A store that cannot write for a moment: afterwards nothing is left held, running or open. */
import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Store } from '../../contract/store.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { LateWrites } from './late-writes.ts';

interface Disk {
  isFull: boolean;
}

/** Answers every method as the target does, and refuses the named ones while the disk is full. */
const failing = <T extends object>(target: T, names: readonly string[], disk: Disk): T =>
  new Proxy(target, {
    get: (_target, name) => {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      return (...given: unknown[]) =>
        disk.isFull && names.includes(String(name))
          ? Promise.reject(new ToolFailure('STORE_UNAVAILABLE', 'The disk is full.'))
          : Reflect.apply(method, target, given);
    },
  });

const storeOn = (disk: Disk): Store => {
  const store = createMemoryStore();
  return {
    ...store,
    audit: failing(store.audit, ['append', 'intend'], disk),
    ledger: failing(store.ledger, ['settle', 'release', 'reserve'], disk),
    replays: failing(store.replays, ['finish', 'abandon', 'claim'], disk),
  };
};

/** A tool whose first run fills the disk. */
const setUp = async (fixed = 0.01) => {
  const disk: Disk = { isFull: false };
  const seen = { runs: 0 };
  const store = storeOn(disk);
  const tool = aTool({
    tier: 'write',
    ...(fixed > 0 && { cost: { model: 'usage_based', fixed } }),
    run: () => {
      disk.isFull = seen.runs === 0;
      return ++seen.runs;
    },
  } as never);
  return { disk, seen, store, crib: await testCrib([tool], { store }) };
};

const as = { idempotencyKey: 'k' };

describe('after a moment in which the store could not write', () => {
  it.each([
    ['with a price', 0.01],
    ['without one', 0],
  ])('a call %s is settled, its key answers and its intent is closed', async (_title, fixed) => {
    const { disk, seen, store, crib } = await setUp(fixed);
    const first = await crib.execute('echo', {}, as);
    expect(first.error).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: false });
    expect(await store.intents.open()).toHaveLength(1);
    await crib.runtime.advance(1500);
    expect(await store.intents.open()).toHaveLength(1);
    disk.isFull = false;
    await crib.runtime.advance(1500);
    expect(await store.intents.open()).toEqual([]);
    for (const line of await store.ledger.lines('')) {
      expect(line).toMatchObject({ heldMicros: 0, heldCalls: 0 });
    }
    const again = await crib.execute('echo', {}, as);
    expect(again.error?.code).not.toBe('CONFLICT');
    expect(seen.runs).toBe(1);
    const rows = await store.audit.query({ kind: 'outcome' });
    const { executionId } = first.metadata;
    const outcomes = rows.filter((row) => row.executionId === executionId);
    expect(outcomes).toMatchObject([{ detail: { late: true } }]);
  });

  it('a new call with another key runs as always', async () => {
    const { disk, crib } = await setUp();
    await crib.execute('echo', {}, as);
    disk.isFull = false;
    await crib.runtime.advance(1500);
    expect(await crib.execute('echo', {}, { idempotencyKey: 'other' })).toMatchObject({ data: 2 });
  });

  it.each([
    ['with keys', {}, 10_001, true],
    ['with prices', { cost: { model: 'usage_based', fixed: 0.01, freeTierLimit: 1 } }, 5001, false],
    ['that would change something', {}, 10_001, false],
  ])(
    'threat: calls %s that arrived meanwhile do not push out the outcome of one that ran',
    async (_title, parts, count, hasKey) => {
      const disk: Disk = { isFull: false };
      const store = storeOn(disk);
      let end = (): void => undefined;
      const slow = aTool({
        name: 'slow',
        tier: 'write',
        run: () => new Promise<void>((resolve) => (end = resolve)),
      });
      const crib = await testCrib([slow, aTool({ tier: 'write', ...parts } as never)], { store });
      const running = crib.execute('slow', {}, as);
      while ((await store.intents.open()).length === 0) await Promise.resolve();
      disk.isFull = true;
      for (let n = 0; n < count; n++) {
        const refused = await crib.execute('echo', {}, hasKey ? { idempotencyKey: `k${n}` } : {});
        expect(refused.error?.code).toBe('STORE_UNAVAILABLE');
      }
      end();
      const { metadata } = await running;
      disk.isFull = false;
      await crib.runtime.advance(1500);
      expect(await store.intents.open()).toEqual([]);
      const { executionId } = metadata;
      expect(await store.audit.query({ executionId, kind: 'outcome' })).toMatchObject([
        { detail: { late: true } },
      ]);
      expect((await crib.execute('slow', {}, as)).error?.code).not.toBe('CONFLICT');
    },
  );

  it('closing writes what is left', async () => {
    const { disk, store, crib } = await setUp();
    await crib.execute('echo', {}, as);
    disk.isFull = false;
    await crib.close();
    expect(await store.intents.open()).toEqual([]);
  });
});

describe('late writes', () => {
  it('are done in order, each once, and only so many are kept', async () => {
    const runtime = fakeRuntime();
    const late = new LateWrites(runtime);
    const done: number[] = [];
    let isFull = true;
    for (let n = 0; n < 10_001; n++) {
      late.add(async () => {
        if (isFull) throw new Error('full');
        done.push(n);
      });
    }
    expect(late.size).toBe(10_000);
    await late.retry();
    expect(done).toEqual([]);
    isFull = false;
    await Promise.all([late.retry(), late.retry()]);
    expect(done).toEqual(Array.from({ length: 10_000 }, (_, n) => n));
    expect(late.size).toBe(0);
  });

  it('are kept and done before the clean-ups of refused calls, of which a thousand are kept', async () => {
    const runtime = fakeRuntime();
    const late = new LateWrites(runtime);
    const done: string[] = [];
    for (let n = 0; n < 1500; n++) late.addCleanUp(async () => done.push('clean-up'));
    expect(late.size).toBe(1000);
    for (let n = 0; n < 10_000; n++) late.add(async () => done.push('outcome'));
    expect(late.size).toBe(11_000);
    expect(runtime.logged.filter(({ level }) => level === 'error')).toHaveLength(1);
    await late.retry();
    expect(done.slice(0, 10_000).every((what) => what === 'outcome')).toBe(true);
    expect(done.slice(10_000)).toEqual(Array.from({ length: 1000 }, () => 'clean-up'));
  });
});
