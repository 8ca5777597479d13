import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import { ToolFailure } from '../../contract/errors.ts';

const counting = (extra: Parameters<typeof aTool>[0] = {}) => {
  const seen = { runs: 0 };
  const tool = aTool({ tier: 'write', run: () => ++seen.runs, ...extra });
  return { seen, tool };
};

describe('replay by idempotency key', () => {
  it('returns the stored result: no second effect', async () => {
    const { seen, tool } = counting();
    const crib = await testCrib([tool]);
    const first = await crib.execute('echo', { a: 1 }, { idempotencyKey: 'k' });
    const second = await crib.execute('echo', { a: 1 }, { idempotencyKey: 'k' });
    expect([first.data, second.data, seen.runs]).toEqual([1, 1, 1]);
    expect(second.metadata).toMatchObject({ cached: true, cost: 0 });
    expect(second.metadata.executionId).not.toBe(first.metadata.executionId);
  });

  it('refuses the key for another input, keeps keys of users and tools apart', async () => {
    const { seen, tool } = counting();
    const crib = await testCrib([tool]);
    await crib.execute('echo', { a: 1 }, { idempotencyKey: 'k' });
    expect((await crib.execute('echo', { a: 2 }, { idempotencyKey: 'k' })).error?.code).toBe(
      'CONFLICT',
    );
    await crib.execute('echo', { a: 2 }, { idempotencyKey: 'k', userId: 'other' });
    expect(seen.runs).toBe(2);
  });

  it('ten calls at once with one key run once', async () => {
    const { seen, tool } = counting();
    const crib = await testCrib([tool]);
    const results = await Promise.all(
      Array.from({ length: 10 }, () => crib.execute('echo', {}, { idempotencyKey: 'k' })),
    );
    expect(seen.runs).toBe(1);
    expect(results.filter(({ success }) => success).length).toBeGreaterThan(0);
    for (const { success, error } of results)
      expect(success || error?.code === 'CONFLICT').toBe(true);
  });

  it('a call that was refused before it ran frees the key', async () => {
    const { seen, tool } = counting({ preconditions: [] });
    let ready = false;
    const waits = aTool({
      ...tool,
      preconditions: [
        { type: 'custom', id: 'p', description: 'ready', critical: true, check: () => ready },
      ],
    } as never);
    const crib = await testCrib([waits]);
    const as = { idempotencyKey: 'k' };
    expect((await crib.execute('echo', {}, as)).error?.code).toBe('PRECONDITION_FAILED');
    ready = true;
    expect((await crib.execute('echo', {}, as)).success).toBe(true);
    expect(seen.runs).toBe(1);
  });

  it('a failure after a possible effect stands: it is not silently run again', async () => {
    const seen = { runs: 0 };
    const run = () => {
      seen.runs++;
      throw new ToolFailure('NETWORK', 'gone');
    };
    const crib = await testCrib([aTool({ tier: 'write', run })]);
    const as = { idempotencyKey: 'k' };
    await crib.execute('echo', {}, as);
    const second = await crib.execute('echo', {}, as);
    expect([second.error?.code, seen.runs]).toEqual(['NETWORK', 1]);
  });

  it('keys expire', async () => {
    const { seen, tool } = counting();
    const crib = await testCrib([tool], { config: { execution: { idempotencyHours: 1 } } });
    await crib.execute('echo', {}, { idempotencyKey: 'k' });
    await crib.runtime.advance(61 * 60 * 1000);
    await crib.execute('echo', {}, { idempotencyKey: 'k' });
    expect(seen.runs).toBe(2);
  });
});

describe('cache', () => {
  it('serves equal input until its time is over, key order ignored', async () => {
    const { seen, tool } = counting({ tier: 'read_only', cache: { ttlMs: 1000 } });
    const crib = await testCrib([tool]);
    await crib.execute('echo', { a: 1, b: 2 });
    const hit = await crib.execute('echo', { b: 2, a: 1 });
    expect([hit.metadata.cached, seen.runs]).toEqual([true, 1]);
    await crib.execute('echo', { a: 1 });
    await crib.execute('echo', { a: 1, b: 2 }, { userId: 'someone else' });
    expect(seen.runs).toBe(3);
    await crib.runtime.advance(1001);
    await crib.execute('echo', { a: 1, b: 2 });
    expect(seen.runs).toBe(4);
  });

  it('is only for tools that declare it, and never keeps failures', async () => {
    const plain = counting({ tier: 'read_only' });
    const crib = await testCrib([plain.tool]);
    await crib.execute('echo', {});
    await crib.execute('echo', {});
    expect(plain.seen.runs).toBe(2);
    const seen = { runs: 0 };
    const run = () => {
      seen.runs++;
      throw new Error('no');
    };
    const failing = await testCrib([aTool({ cache: { ttlMs: 1000 }, run })]);
    await failing.execute('echo', {});
    await failing.execute('echo', {});
    expect(seen.runs).toBe(2);
  });

  it('forgets by tool and by tag', async () => {
    const { seen, tool } = counting({
      tier: 'read_only',
      cache: { ttlMs: 1000, tags: ['weather'] },
    });
    const crib = await testCrib([tool]);
    await crib.execute('echo', {});
    expect(crib.results.forget({ tag: 'news' })).toBe(0);
    expect(crib.results.forget({ tag: 'weather' })).toBe(1);
    await crib.execute('echo', {});
    expect(crib.results.forget({ tool: 'echo' })).toBe(1);
    await crib.execute('echo', {});
    expect(seen.runs).toBe(3);
  });

  it('keeps nothing of a call that was forgotten while it ran', async () => {
    const seen = { runs: 0 };
    const until: { resolve: () => void } = { resolve: () => undefined };
    const run = async () => {
      seen.runs++;
      if (seen.runs === 1) await new Promise<void>((resolve) => Object.assign(until, { resolve }));
      return seen.runs;
    };
    const cache = { ttlMs: 1000, tags: ['weather'] };
    const crib = await testCrib([aTool({ tier: 'read_only', cache, run })]);
    const first = crib.execute('echo', {});
    await expect.poll(() => seen.runs).toBe(1);
    crib.results.forget({ tag: 'weather' });
    until.resolve();
    await first;
    expect((await crib.execute('echo', {})).data).toBe(2);
    expect((await crib.execute('echo', {})).metadata.cached).toBe(true);
  });

  it('is limited in size', async () => {
    const { seen, tool } = counting({ tier: 'read_only', cache: { ttlMs: 1000 } });
    const crib = await testCrib([tool], { config: { execution: { cache: { maxEntries: 2 } } } });
    for (const n of [1, 2, 3, 1]) await crib.execute('echo', { n });
    expect(seen.runs).toBe(4);
  });
});
