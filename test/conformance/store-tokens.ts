/** What every store owes to the tokens it keeps. */
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/contract/store.ts';
import type { TokenRecord } from '../../src/contract/tokens.ts';
import { AWKWARD_STRINGS, NOW, times } from './store-samples.ts';

type Use = (test: (store: Store) => Promise<void>) => Promise<void>;

const token = (id: string, parts: Partial<TokenRecord> = {}): TokenRecord => ({
  id,
  name: `name of ${id}`,
  role: 'agent',
  hash: 'ab'.repeat(32),
  createdAt: NOW,
  createdBy: 'local',
  policy: { tools: ['echo'], dailyUsd: 0.5, isolation: 'basic' },
  ...parts,
});

export const describeTokens = (use: Use): void => {
  describe('tokens', () => {
    it('gives back what was added, newest first', () =>
      use(async (store) => {
        const added = [token('a', { expiresAt: NOW + 1 }), token('b'), token('c')];
        for (const one of added) await store.tokens.add(one);
        expect(await store.tokens.get('a')).toEqual(added[0]);
        expect(await store.tokens.get('d')).toBeUndefined();
        expect(await store.tokens.list()).toEqual(added.toReversed());
      }));

    it('never replaces one', () =>
      use(async (store) => {
        await store.tokens.add(token('a'));
        const again = store.tokens.add(token('a', { role: 'admin' }));
        await expect(again).rejects.toMatchObject({ code: 'CONFLICT' });
        expect((await store.tokens.get('a'))?.role).toBe('agent');
      }));

    it('revokes once, and says so from then on', () =>
      use(async (store) => {
        await store.tokens.add(token('a'));
        await store.tokens.add(token('b'));
        const all = await Promise.all(times(10, (n) => store.tokens.revoke('a', NOW + n)));
        expect(all.filter(Boolean)).toHaveLength(1);
        expect((await store.tokens.get('a'))?.revokedAt).toBe(NOW);
        expect((await store.tokens.get('b'))?.revokedAt).toBeUndefined();
        expect(await store.tokens.revoke('c', NOW)).toBe(false);
      }));

    it('notes the last use, also of one that was revoked meanwhile', () =>
      use(async (store) => {
        await store.tokens.add(token('a'));
        await store.tokens.revoke('a', NOW + 1);
        await store.tokens.touch('a', NOW + 2);
        await store.tokens.touch('nobody', NOW + 2);
        expect(await store.tokens.get('a')).toMatchObject({
          revokedAt: NOW + 1,
          lastUsedAt: NOW + 2,
        });
        expect(await store.tokens.list()).toHaveLength(1);
      }));

    it('isolates an id from its look-alikes', () =>
      use(async (store) => {
        for (const id of AWKWARD_STRINGS) await store.tokens.add(token(id, { name: `of ${id}` }));
        for (const id of AWKWARD_STRINGS) {
          expect((await store.tokens.get(id))?.name).toBe(`of ${id}`);
        }
      }));
  });
};
