/** What every store owes to what it keeps for others: memory, snapshots and large results. */
import { describe, expect, it } from 'vitest';
import type { Expiry, Snapshot, Store } from '../../src/contract/store.ts';
import { AWKWARD_STRINGS, NOW, times } from './store-samples.ts';

const EXPIRY: Expiry = { at: NOW + 10, now: NOW };

type Use = (test: (store: Store) => Promise<void>) => Promise<void>;

const describeMemory = (use: Use): void => {
  it('remembers plain JSON, and nobody shares the object', () =>
    use(async (store) => {
      const value = { list: [1, 'ä\0\ud800', null, true], nested: { constructor: 1 } };
      await store.memory.write({ space: 's', key: 'k', value });
      value.list.push('later');
      const first = (await store.memory.read('s', 'k', NOW)) as typeof value;
      expect(first.list).toEqual([1, 'ä\0\ud800', null, true]);
      first.list.push('mine');
      expect(await store.memory.read('s', 'k', NOW)).toMatchObject({
        list: [1, 'ä\0\ud800', null, true],
      });
    }));

  it('forgets at the time given', () =>
    use(async (store) => {
      await store.memory.write({ space: 's', key: 'k', value: 1, expiry: EXPIRY });
      expect(await store.memory.read('s', 'k', NOW + 9)).toBe(1);
      expect(await store.memory.read('s', 'k', NOW + 10)).toBeUndefined();
      const update = (now: number) =>
        store.memory.update({ space: 's', key: 'k', now }, (old) => old ?? 'fresh');
      expect(await update(NOW + 10)).toBe('fresh');
      expect(await store.memory.read('s', 'k', NOW + 1e12)).toBe('fresh');
    }));

  it('keeps the time limit of what it updates', () =>
    use(async (store) => {
      await store.memory.write({ space: 's', key: 'k', value: 1, expiry: EXPIRY });
      await store.memory.update({ space: 's', key: 'k', now: NOW }, (old) => Number(old) + 1);
      expect(await store.memory.read('s', 'k', NOW + 9)).toBe(2);
      expect(await store.memory.read('s', 'k', NOW + 10)).toBeUndefined();
    }));

  it('forgets what has expired while more that expires is written, and nothing else', () =>
    use(async (store) => {
      const write = (key: string, expiry?: Expiry) =>
        store.memory.write({ space: 's', key, value: key, ...(expiry && { expiry }) });
      await write('for ever');
      await write('longer', { at: NOW + 1000, now: NOW });
      await write('again', EXPIRY);
      await Promise.all(times(150, (n) => write(`old ${n}`, EXPIRY)));
      const later = { at: NOW + 1000, now: NOW + 10 };
      await write('again', later);
      await Promise.all(times(300, (n) => write(`new ${n}`, later)));
      const read = (key: string) => store.memory.read('s', key, NOW);
      expect(await Promise.all(times(150, (n) => read(`old ${n}`)))).toEqual(
        times(150, () => undefined),
      );
      expect(await Promise.all(times(300, (n) => read(`new ${n}`)))).toEqual(
        times(300, (n) => `new ${n}`),
      );
      for (const key of ['for ever', 'longer', 'again']) expect(await read(key)).toBe(key);
    }));

  it('loses none of 500 concurrent updates', () =>
    use(async (store) => {
      const at = { space: 's', key: 'n', now: NOW };
      const results = await Promise.all(
        times(500, () => store.memory.update(at, (old) => Number(old ?? 0) + 1)),
      );
      expect(results).toEqual(times(500, (n) => n + 1));
    }));

  it('changes nothing when the change throws, and harms no other update', () =>
    use(async (store) => {
      const at = { space: 's', key: 'n', now: NOW };
      const add = () => store.memory.update(at, (old) => Number(old ?? 0) + 1);
      const fail = () =>
        store.memory.update(at, () => {
          throw new RangeError('no');
        });
      const outcomes = await Promise.allSettled([add(), fail(), add(), fail(), add()]);
      expect(outcomes.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'rejected',
        'fulfilled',
      ]);
      expect(outcomes[1]).toMatchObject({ reason: expect.any(RangeError) });
      expect(await store.memory.read('s', 'n', NOW)).toBe(3);
    }));

  it('refuses a change that is not synchronous', () =>
    use(async (store) => {
      const at = { space: 's', key: 'n', now: NOW };
      const later = store.memory.update(at, async () => 1);
      await expect(later).rejects.toMatchObject({ code: 'EXECUTION_FAILED' });
      expect(await store.memory.read('s', 'n', NOW)).toBeUndefined();
    }));

  it('refuses what is not JSON, and takes undefined for absent', () =>
    use(async (store) => {
      const item = { space: 's', key: 'k' };
      const bad = store.memory.write({ ...item, value: 1n });
      await expect(bad).rejects.toMatchObject({ code: 'EXECUTION_FAILED' });
      await store.memory.write({ ...item, value: 1 });
      await store.memory.write({ ...item, value: undefined });
      expect(await store.memory.read('s', 'k', NOW)).toBeUndefined();
      await store.memory.write({ ...item, value: 1 });
      expect(await store.memory.update({ ...item, now: NOW }, () => undefined)).toBeUndefined();
      expect(await store.memory.delete('s', 'k')).toBe(false);
      await store.memory.write({ ...item, value: null });
      expect(await store.memory.read('s', 'k', NOW)).toBeNull();
    }));

  it('deletes one item and clears one space only', () =>
    use(async (store) => {
      for (const space of ['s1', 's2']) {
        for (const key of ['a', 'b']) await store.memory.write({ space, key, value: space + key });
      }
      expect(await store.memory.delete('s1', 'a')).toBe(true);
      expect(await store.memory.delete('s1', 'a')).toBe(false);
      expect(await store.memory.read('s1', 'b', NOW)).toBe('s1b');
      await store.memory.clear('s2');
      await store.memory.clear('s3');
      expect(await store.memory.read('s2', 'a', NOW)).toBeUndefined();
      expect(await store.memory.read('s1', 'b', NOW)).toBe('s1b');
    }));

  it('isolates spaces and keys from their look-alikes', () =>
    use(async (store) => {
      for (const space of AWKWARD_STRINGS) {
        await store.memory.write({ space, key: 'k', value: `space ${space}` });
        await store.memory.write({ space: 'one', key: space, value: `key ${space}` });
      }
      for (const space of AWKWARD_STRINGS) {
        expect(await store.memory.read(space, 'k', NOW)).toBe(`space ${space}`);
        expect(await store.memory.read('one', space, NOW)).toBe(`key ${space}`);
      }
    }));
};

const describeSnapshots = (use: Use): void => {
  const snapshot = (order: number, parts: Partial<Snapshot> = {}): Snapshot => ({
    executionId: 'e1',
    order,
    path: '/tmp/ä b.txt',
    before: Uint8Array.from([0, 255, 10, order]),
    beforeMode: 0o644,
    afterHash: 'ab'.repeat(32),
    keptAt: 1234.5,
    ...parts,
  });

  it('gives back the exact bytes in the order of the writes', () =>
    use(async (store) => {
      const nothing = { before: undefined, beforeMode: undefined };
      const saved = [
        snapshot(0, nothing),
        snapshot(1),
        snapshot(2, { before: new Uint8Array(0), afterHash: undefined }),
        snapshot(10, { before: Uint8Array.from(times(10_000, (n) => n % 251)) }),
      ];
      await Promise.all(saved.toReversed().map((one) => store.snapshots.save(one)));
      await store.snapshots.save(snapshot(0, { executionId: 'e2' }));
      const found = await store.snapshots.of('e1');
      expect(found).toEqual(saved);
      expect(found[2]?.before).toBeInstanceOf(Uint8Array);
      expect(await store.snapshots.of('e3')).toEqual([]);
    }));

  it('keeps what the buffer held when it was saved', () =>
    use(async (store) => {
      const before = Uint8Array.from([1, 2, 3]);
      const saving = store.snapshots.save(snapshot(0, { before }));
      before.fill(9);
      await saving;
      expect((await store.snapshots.of('e1'))[0]?.before).toEqual(Uint8Array.from([1, 2, 3]));
    }));

  it('never replaces a snapshot', () =>
    use(async (store) => {
      await store.snapshots.save(snapshot(0));
      const again = store.snapshots.save(snapshot(0, { before: undefined }));
      await expect(again).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(await store.snapshots.of('e1')).toEqual([snapshot(0)]);
    }));

  it('drops those of one call', () =>
    use(async (store) => {
      await store.snapshots.save(snapshot(0));
      await store.snapshots.save(snapshot(0, { executionId: 'e2' }));
      await store.snapshots.drop('e1');
      await store.snapshots.drop('e1');
      expect(await store.snapshots.of('e1')).toEqual([]);
      expect(await store.snapshots.of('e2')).toHaveLength(1);
    }));

  it('forgets the calls that are older than asked for, each whole or not at all', () =>
    use(async (store) => {
      const kept = [
        ['old', 0, 1000],
        ['old', 1, 1999],
        ['across', 0, 1000],
        ['across', 1, 2000.5],
        ['new', 0, 3000],
      ] as const;
      for (const [executionId, order, keptAt] of kept) {
        await store.snapshots.save(snapshot(order, { executionId, keptAt }));
      }
      expect(await store.snapshots.expire(2000.5)).toBe(2);
      expect(await store.snapshots.expire(2000.5)).toBe(0);
      const left = ['old', 'across', 'new'].map((each) => store.snapshots.of(each));
      expect((await Promise.all(left)).map((each) => each.length)).toEqual([0, 2, 1]);
    }));
};

const describeResults = (use: Use): void => {
  const put = (store: Store, handle: string, text: string, keptAt = 1000) =>
    store.results.put({ handle, userId: 'alice', executionId: `e-${handle}`, text, keptAt });
  const all = { offset: 0, limit: Number.MAX_SAFE_INTEGER };

  it('pages put together give the text again, whatever is in it', () =>
    use(async (store) => {
      const text = AWKWARD_STRINGS.join('|') + 'x'.repeat(5000);
      await put(store, 'h1', text);
      const pages: string[] = [];
      for (let offset = 0; offset < text.length; offset += 7) {
        const page = await store.results.read('h1', 'alice', { offset, limit: 7 });
        expect(page?.total).toBe(text.length);
        pages.push(page?.text ?? '');
      }
      expect(pages.join('')).toBe(text);
    }));

  it('is empty outside the text and for odd ranges', () =>
    use(async (store) => {
      await put(store, 'h1', 'hello');
      const read = async (offset: number, limit: number) =>
        (await store.results.read('h1', 'alice', { offset, limit }))?.text;
      expect(await read(9, 5)).toBe('');
      expect(await read(-3, 2)).toBe('he');
      expect(await read(0, -1)).toBe('');
      expect(await read(3, 99)).toBe('lo');
    }));

  it('shows nothing to another user or for an unknown handle', () =>
    use(async (store) => {
      await put(store, 'h1', 'secret');
      for (const user of AWKWARD_STRINGS) {
        expect(await store.results.read('h1', user, all)).toBeUndefined();
      }
      expect(await store.results.read('h', 'alice', all)).toBeUndefined();
      expect(await store.results.read('h1', 'alice', all)).toEqual({ text: 'secret', total: 6 });
    }));

  it('never replaces a result, and drops those of one call', () =>
    use(async (store) => {
      await put(store, 'h1', 'first');
      await put(store, 'h2', 'other');
      const other = { userId: 'eve', executionId: 'x', text: '', keptAt: 0 };
      const theft = store.results.put({ handle: 'h1', ...other });
      await expect(theft).rejects.toMatchObject({ code: 'CONFLICT' });
      await store.results.drop('e-h1');
      expect(await store.results.read('h1', 'alice', all)).toBeUndefined();
      expect(await store.results.read('h2', 'alice', all)).toMatchObject({ text: 'other' });
    }));

  it('forgets what is older than asked for, and nothing else', () =>
    use(async (store) => {
      await put(store, 'old', 'a', 1000);
      await put(store, 'just', 'b', 2000.5);
      await put(store, 'new', 'c', 3000);
      expect(await store.results.expire(2000.5)).toBe(1);
      expect(await store.results.expire(2000.5)).toBe(0);
      const left = ['old', 'just', 'new'].map((each) => store.results.read(each, 'alice', all));
      expect((await Promise.all(left)).map((each) => each?.text)).toEqual([undefined, 'b', 'c']);
    }));
};

export const describeContent = (use: Use): void => {
  describe('memory', () => describeMemory(use));
  describe('snapshots', () => describeSnapshots(use));
  describe('results', () => describeResults(use));
};
