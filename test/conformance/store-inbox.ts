/** What every store owes to the inbox: a cap that holds, one entry a question, and no search through all. */
import { expect, it } from 'vitest';
import { NOBODY_IN_TIME } from '../../src/contract/approver.ts';
import type { Parking, Store } from '../../src/contract/store.ts';
import { AWKWARD_STRINGS, approvalRecord, NOW, times } from './store-samples.ts';

type Use = (test: (store: Store) => Promise<void>) => Promise<void>;

const parking = (
  id: string,
  { record = {}, ...more }: Partial<Omit<Parking, 'record'>> & { record?: object } = {},
): Parking => ({
  record: approvalRecord(id, { callKey: `call of ${id}`, ...record }),
  maxWaiting: 3,
  reuse: true,
  now: NOW,
  ...more,
});

export const describeInbox = (use: Use): void => {
  it('lets no more questions of one user wait than the cap, however many come at once', () =>
    use(async (store) => {
      const outcomes = await Promise.all(
        times(60, (n) => store.approvals.park(parking(`a${n}`, { maxWaiting: 20 }))),
      );
      expect(outcomes.filter(({ state }) => state === 'parked')).toHaveLength(20);
      expect(outcomes.filter(({ state }) => state === 'full')).toHaveLength(40);
      expect(await store.approvals.list('waiting')).toHaveLength(20);
      const bob = parking('b1', { record: { userId: 'bob' }, maxWaiting: 20 });
      expect(await store.approvals.park(bob)).toEqual({ state: 'parked' });
    }));

  it('counts a question that is decided no longer', () =>
    use(async (store) => {
      for (const n of [1, 2, 3]) await store.approvals.park(parking(`a${n}`));
      expect((await store.approvals.park(parking('a4'))).state).toBe('full');
      await store.approvals.decide('a2', { approve: false, by: 'boss', at: NOW });
      expect((await store.approvals.park(parking('a4'))).state).toBe('parked');
      expect((await store.approvals.park(parking('a5'))).state).toBe('full');
    }));

  it('takes the open question about the same call again, once for many that come at once', () =>
    use(async (store) => {
      const outcomes = await Promise.all(
        times(10, (n) => store.approvals.park(parking(`a${n}`, { record: { callKey: 'k' } }))),
      );
      expect(outcomes.map(({ state }) => state)).toEqual(['parked', ...times(9, () => 'same')]);
      const same = await store.approvals.park(parking('again', { record: { callKey: 'k' } }));
      expect(same).toEqual({
        state: 'same',
        record: approvalRecord('a0', { callKey: 'k' }),
      });
      const another = parking('b', { record: { callKey: 'k' }, reuse: false });
      expect(await store.approvals.park(another)).toEqual({ state: 'parked' });
    }));

  it('closes questions whose time is over as denied by nobody, and counts them no longer', () =>
    use(async (store) => {
      for (const n of [1, 2, 3]) {
        await store.approvals.park(parking(`a${n}`, { record: { expiresAt: NOW + n } }));
      }
      expect((await store.approvals.park(parking('b', { now: NOW + 2 }))).state).toBe('parked');
      expect(await store.approvals.get('a2')).toMatchObject({
        state: 'denied',
        decidedBy: NOBODY_IN_TIME,
        decidedAt: NOW + 2,
      });
      expect((await store.approvals.list('waiting')).map(({ id }) => id).sort()).toEqual([
        'a3',
        'b',
      ]);
      const late = parking('c', { record: { callKey: 'call of a3' }, now: NOW + 3 });
      expect((await store.approvals.park(late)).state).toBe('parked');
    }));

  it('finds the records of one call by state, newest first', () =>
    use(async (store) => {
      for (const n of [1, 2, 3]) {
        const record = approvalRecord(`a${n}`, { callKey: 'k', createdAt: NOW + n });
        await store.approvals.create(record);
      }
      await store.approvals.create(approvalRecord('other', { callKey: 'l' }));
      await store.approvals.create(approvalRecord('older'));
      for (const id of ['a1', 'a3', 'older']) {
        await store.approvals.decide(id, { approve: true, by: 'boss', at: NOW });
      }
      const ids = async (state: 'waiting' | 'approved' | 'used') =>
        (await store.approvals.matching('k', state)).map(({ id }) => id);
      expect([await ids('waiting'), await ids('approved')]).toEqual([['a2'], ['a3', 'a1']]);
      await store.approvals.use('a3', NOW);
      expect([await ids('approved'), await ids('used')]).toEqual([['a1'], ['a3']]);
      expect(await store.approvals.matching('nobody', 'approved')).toEqual([]);
    }));

  it('refuses a second record of an id, and tells users with awkward names apart', () =>
    use(async (store) => {
      await store.approvals.park(parking('a1'));
      const twice = store.approvals.park(parking('a1', { record: { callKey: 'x' } }));
      await expect(twice).rejects.toMatchObject({ code: 'CONFLICT' });
      for (const [n, userId] of AWKWARD_STRINGS.entries()) {
        const one = parking(`u${n}`, { record: { userId }, maxWaiting: 1 });
        expect((await store.approvals.park(one)).state).toBe('parked');
        const two = parking(`v${n}`, { record: { userId }, maxWaiting: 1 });
        expect((await store.approvals.park(two)).state).toBe('full');
      }
    }));

  it('takes a question with 4,000 waiting as fast as with a few', { timeout: 60_000 }, () =>
    use(async (store) => {
      const park = (id: string, userId: string) =>
        store.approvals.park(parking(id, { record: { userId }, maxWaiting: 10_000 }));
      await Promise.all(times(4000, (n) => park(`a${n}`, `user ${n % 40}`)));
      const started = performance.now();
      await Promise.all(times(100, (n) => park(`b${n}`, 'bob')));
      // It took 66 ms each when every question listed all open ones.
      expect((performance.now() - started) / 100).toBeLessThan(10);
    }),
  );
};
