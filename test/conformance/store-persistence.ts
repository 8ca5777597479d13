/** What a store owes that outlives its process: everything is there again, and claims are in doubt. */
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/contract/store.ts';
import { verifyAudit } from '../../src/governance/audit/verify-audit.ts';
import { aRollUp } from './store-roll-ups.ts';
import {
  approvalRecord,
  auditEntry,
  intentEntry,
  NOW,
  type OpenedStore,
  times,
  toolResult,
} from './store-samples.ts';
import { vectorItem, vectorQuery } from './store-vectors.ts';

/** A store whose data can be opened again after it was closed. */
export type OpenLasting = () => Promise<Required<OpenedStore>>;

/** Puts one thing of each kind into the store. */
export const fill = async (store: Store): Promise<void> => {
  await store.audit.append(auditEntry({ executionId: 'done' }));
  await store.audit.append(intentEntry('open'));
  await store.ledger.reserve({
    executionId: 'open',
    scopes: [{ key: 'user:alice', limitMicros: 100 }],
    amountMicros: 60,
  });
  await store.counters.hit('k', [{ sizeMs: 1000, limit: 1 }], NOW);
  await store.replays.claim({ key: 'done', digest: 'd', executionId: 'e', now: NOW });
  await store.replays.finish({ key: 'done' }, toolResult('kept'), NOW + 1000);
  await store.replays.claim({ key: 'doubt', digest: 'd', executionId: 'e', now: NOW });
  await store.replays.claim({ key: 'begun', digest: 'd', executionId: 'open', now: NOW });
  await store.memory.write({ space: 's', key: 'k', value: 'kept' });
  await store.approvals.create(approvalRecord('a1', { state: 'approved' }));
  await store.results.put({
    handle: 'h',
    userId: 'u',
    executionId: 'e',
    text: 'kept',
    keptAt: NOW,
  });
  await store.vectors.put(vectorItem('kept', [3, 4]));
  await store.rollUps.add({ after: 0, last: 2, rollUps: [aRollUp()] });
  await store.snapshots.save({
    executionId: 'open',
    order: 0,
    path: '/f',
    before: Uint8Array.from([1]),
    beforeMode: 0o600,
    keptAt: 0,
    afterHash: undefined,
  });
};

/** Expects what `fill` has put in, with the claims of a process that is gone. */
export const expectKept = async (store: Store): Promise<void> => {
  expect(await verifyAudit(store.audit.scan())).toMatchObject({ ok: true, rows: 2 });
  expect(await store.intents.open()).toMatchObject([
    { entry: { executionId: 'open' }, ownerAlive: false },
  ]);
  expect(await store.ledger.orphans()).toMatchObject([
    { executionId: 'open', scopes: [{ key: 'user:alice', limitMicros: 100 }], amountMicros: 60 },
  ]);
  expect(
    await store.ledger.covers({
      scopes: [{ key: 'user:alice', limitMicros: 100 }],
      amountMicros: 41,
    }),
  ).toMatchObject({
    ok: false,
  });
  expect(await store.counters.peek('k', [{ sizeMs: 1000, limit: 1 }], NOW)).toMatchObject({
    ok: false,
  });
  const claim = (key: string) =>
    store.replays.claim({ key, digest: 'd', executionId: 'e2', now: NOW });
  expect(await claim('done')).toMatchObject({ state: 'done', result: { data: 'kept' } });
  expect(await claim('doubt')).toEqual({ state: 'unknown', executionId: 'e' });
  expect(await store.memory.read('s', 'k', NOW)).toBe('kept');
  expect(await store.approvals.use('a1', NOW)).toBe(true);
  expect(await store.results.read('h', 'u', { offset: 0, limit: 9 })).toMatchObject({
    text: 'kept',
  });
  const nearest = await store.vectors.search(vectorQuery([3, 4]));
  expect(nearest).toEqual([{ kind: 'memory', id: 'kept', score: expect.closeTo(1, 5) }]);
  expect(await store.rollUps.counted()).toBe(2);
  expect(await store.rollUps.read({ ...aRollUp(), from: 0, to: 1 })).toEqual([aRollUp()]);
  expect(await store.snapshots.of('open')).toHaveLength(1);
};

/** Recovery: the outcome of a foreign intent closes it, the foreign hold is let go. */
const recover = async (store: Store): Promise<void> => {
  await store.audit.append(auditEntry({ executionId: 'open', status: 'unknown' }));
  expect(await store.ledger.endOrphan('open')).toBe(true);
  expect(await store.ledger.endOrphan('open')).toBe(false);
  expect(await store.replays.abandonDead('begun', 'open')).toBe(false);
  expect(await store.replays.abandonDead('doubt', 'other')).toBe(false);
  expect(await store.replays.abandonDead('doubt', 'e')).toBe(true);
  expect(await store.intents.open()).toEqual([]);
  expect(await store.ledger.orphans()).toEqual([]);
  expect(await store.ledger.lines('user:')).toMatchObject([{ heldMicros: 0, spentMicros: 0 }]);
  const request = { key: 'doubt', digest: 'd', executionId: 'e3', now: NOW };
  expect(await store.replays.claim(request)).toEqual({ state: 'new' });
};

export const describePersistence = (name: string, open: OpenLasting): void => {
  const useTwice = async (
    first: (store: Store) => Promise<unknown>,
    then: (store: Store) => Promise<void>,
  ): Promise<void> => {
    const { store, reopen, cleanup } = await open();
    try {
      await first(store);
      const again = await reopen();
      await then(again);
      await again.close();
    } finally {
      await cleanup();
    }
  };

  describe(`${name}: persistence`, () => {
    it('does what is pending before it closes', () =>
      useTwice(
        async (store) => {
          const pending = times(100, async () => store.audit.append(auditEntry()));
          await store.close();
          await Promise.all(pending);
        },
        async (again) => expect(await again.audit.head()).toMatchObject({ seq: 100 }),
      ));

    it('gives everything back, with claims of the closed store in doubt', () =>
      useTwice(
        async (store) => {
          await fill(store);
          await store.close();
        },
        async (again) => {
          await expectKept(again);
          await recover(again);
        },
      ));

    it('knows which claims are under way while the other store is open', () =>
      useTwice(fill, async (again) => {
        expect(await again.intents.open()).toMatchObject([{ ownerAlive: true }]);
        expect(await again.ledger.orphans()).toEqual([]);
        const request = { key: 'doubt', digest: 'd', executionId: 'e2', now: NOW };
        expect(await again.replays.claim(request)).toEqual({ state: 'running', executionId: 'e' });
      }));
  });
};
