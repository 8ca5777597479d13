/** What every store owes to the vectors that it keeps. */
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/contract/store.ts';
import type { VectorItem, VectorQuery } from '../../src/contract/vectors.ts';
import { AWKWARD_STRINGS, NOW, times } from './store-samples.ts';

type Use = (test: (store: Store) => Promise<void>) => Promise<void>;

export const vectorItem = (
  id: string,
  vector: readonly number[],
  parts: Partial<VectorItem> = {},
): VectorItem => ({
  ...{ userId: 'alice', kind: 'memory', id, model: 'model-1', vector, storedAt: NOW },
  ...parts,
});

export const vectorQuery = (
  vector: readonly number[],
  parts: Partial<VectorQuery> = {},
): VectorQuery => ({ userId: 'alice', model: 'model-1', vector, limit: 10, ...parts });

const idsOf = async (store: Store, query: VectorQuery): Promise<readonly string[]> =>
  (await store.vectors.search(query)).map(({ id }) => id);

const INVALID = { code: 'VALIDATION_ERROR' };

const describeSearch = (use: Use): void => {
  it('finds the nearest vectors by their angle, whatever their lengths', () =>
    use(async ({ vectors }) => {
      await vectors.put(vectorItem('same', [600, 800]));
      await vectors.put(vectorItem('near', [0.5, 1]));
      await vectors.put(vectorItem('across', [-4, 3]));
      await vectors.put(vectorItem('opposite', [-3e-200, -4e-200]));
      const matches = await vectors.search(vectorQuery([3, 4]));
      expect(matches.map(({ id }) => id)).toEqual(['same', 'near', 'across', 'opposite']);
      const expected = [1, 0.98387, 0, -1];
      for (const [at, { score }] of matches.entries()) expect(score).toBeCloseTo(expected[at] ?? 9);
      const close = await vectors.search(vectorQuery([3, 4], { minScore: 0.9, limit: 1 }));
      expect(close).toHaveLength(1);
    }));

  it('gives the best of many pages, the same as a comparison of all', () =>
    use(async (store) => {
      const at = (n: number) => [Math.sin(n), Math.cos(n), Math.sin(n * 7), 1];
      await Promise.all(times(1_000, (n) => store.vectors.put(vectorItem(`v${n}`, at(n)))));
      const cosine = (one: readonly number[], other: readonly number[]) =>
        one.reduce((sum, value, n) => sum + value * (other[n] ?? 0), 0) /
        (Math.hypot(...one) * Math.hypot(...other));
      const query = [0.3, -0.2, 0.9, 0.1];
      const best = times(1_000, (n) => ({ id: `v${n}`, score: cosine(query, at(n)) }))
        .toSorted((one, other) => other.score - one.score)
        .slice(0, 10);
      expect(await idsOf(store, vectorQuery(query))).toEqual(best.map(({ id }) => id));
    }));

  it('finds only vectors of the user, the model and, where one is named, the kind', () =>
    use(async (store) => {
      const { vectors } = store;
      await vectors.put(vectorItem('mine', [1, 0]));
      await vectors.put(vectorItem('known', [1, 0], { kind: 'knowledge' }));
      await vectors.put(vectorItem('hers', [1, 0], { userId: 'bob' }));
      await vectors.put(vectorItem('other', [1, 0, 0], { model: 'model-2' }));
      expect(await idsOf(store, vectorQuery([1, 0]))).toEqual(['known', 'mine']);
      expect(await idsOf(store, vectorQuery([1, 0], { kind: 'memory' }))).toEqual(['mine']);
      expect(await idsOf(store, vectorQuery([1, 0], { userId: 'bob' }))).toEqual(['hers']);
      expect(await idsOf(store, vectorQuery([1, 0], { userId: 'carol' }))).toEqual([]);
      const second = vectorQuery([1, 0, 0], { model: 'model-2' });
      expect(await idsOf(store, second)).toEqual(['other']);
    }));

  it('isolates users and ids from their look-alikes', () =>
    use(async (store) => {
      const names = AWKWARD_STRINGS.filter((name) => name !== '' && name.length <= 500);
      for (const name of names) {
        await store.vectors.put(vectorItem(name, [1, 2], { userId: name }));
      }
      for (const name of names) {
        expect(await idsOf(store, vectorQuery([1, 2], { userId: name }))).toEqual([name]);
      }
    }));
};

const describeRefusals = (use: Use): void => {
  it.each([
    ['no numbers', []],
    ['NaN', [1, Number.NaN]],
    ['infinity', [Number.POSITIVE_INFINITY, 1]],
    ['zeros only', [0, 0]],
    ['too many numbers', times(8_193, () => 1)],
  ])('refuses a vector of %s, to keep it and to search for it', (_, vector) =>
    use(async ({ vectors }) => {
      await vectors.put(vectorItem('a', [1, 0]));
      await expect(vectors.put(vectorItem('a', vector))).rejects.toMatchObject(INVALID);
      await expect(vectors.search(vectorQuery(vector))).rejects.toMatchObject(INVALID);
      expect(await vectors.search(vectorQuery([1, 0]))).toHaveLength(1);
    }),
  );

  it('refuses a vector of another length than those of the same user and model', () =>
    use(async ({ vectors }) => {
      await vectors.put(vectorItem('a', [1, 0]));
      await expect(vectors.put(vectorItem('b', [1, 0, 0]))).rejects.toMatchObject(INVALID);
      await expect(vectors.search(vectorQuery([1, 0, 0]))).rejects.toMatchObject(INVALID);
      await vectors.put(vectorItem('b', [1, 0, 0], { userId: 'bob' }));
      // The only one may get another length: nothing is there to compare it with.
      await vectors.put(vectorItem('a', [1, 0, 0]));
      expect(await vectors.search(vectorQuery([1, 0, 0]))).toHaveLength(1);
    }));

  it.each([0, 101, 1.5, Number.NaN])('refuses a search for %s matches', (limit) =>
    use(async ({ vectors }) => {
      const search = vectors.search(vectorQuery([1], { limit }));
      await expect(search).rejects.toMatchObject(INVALID);
    }),
  );

  it('refuses names that are empty or too long', () =>
    use(async ({ vectors }) => {
      for (const name of ['', 'x'.repeat(501)]) {
        await expect(vectors.put(vectorItem(name, [1]))).rejects.toMatchObject(INVALID);
        const ofModel = vectorItem('a', [1], { model: name });
        await expect(vectors.put(ofModel)).rejects.toMatchObject(INVALID);
      }
      await vectors.put(vectorItem('ä'.repeat(500), [1], { model: 'ü'.repeat(500) }));
    }));
};

export const describeVectors = (use: Use): void => {
  describe('vectors', () => {
    describeSearch(use);
    describeRefusals(use);

    it('keeps one vector for a text, the newest', () =>
      use(async (store) => {
        await store.vectors.put(vectorItem('a', [1, 0]));
        await store.vectors.put(vectorItem('a', [0, 1]));
        const [match, ...others] = await store.vectors.search(vectorQuery([0, 1]));
        expect(match?.score).toBeCloseTo(1);
        expect(others).toEqual([]);
        // Made by another model since: a search with the old one does not find it.
        await store.vectors.put(vectorItem('a', [1, 1, 1], { model: 'model-2' }));
        expect(await store.vectors.search(vectorQuery([0, 1]))).toEqual([]);
      }));

    it('deletes one vector, or all of a user and kind, and says so', () =>
      use(async (store) => {
        for (const id of ['a', 'b', 'c']) await store.vectors.put(vectorItem(id, [1, 0]));
        await store.vectors.put(vectorItem('a', [1, 0], { userId: 'bob' }));
        const key = { userId: 'alice', kind: 'memory', id: 'a' } as const;
        expect(await store.vectors.delete({ ...key, kind: 'knowledge' })).toBe(false);
        expect(await store.vectors.delete(key)).toBe(true);
        expect(await store.vectors.delete(key)).toBe(false);
        expect(await store.vectors.clear('alice', 'knowledge')).toBe(0);
        expect(await store.vectors.clear('alice', 'memory')).toBe(2);
        expect(await store.vectors.search(vectorQuery([1, 0]))).toEqual([]);
        expect(await idsOf(store, vectorQuery([1, 0], { userId: 'bob' }))).toEqual(['a']);
      }));
  });
};
