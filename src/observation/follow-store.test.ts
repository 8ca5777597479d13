/** What another process writes to the same file, as the follower tells it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { approvalRecord, auditEntry } from '../../test/conformance/store-samples.ts';
import { fakeRuntime } from '../../test/fixtures/fake-runtime.ts';
import type { Store } from '../contract/store.ts';
import { createRuntime } from '../crib/create-runtime.ts';
import { createMemoryStore } from '../stores/memory/create-memory-store.ts';
import { createSqliteStore } from '../stores/sqlite/create-sqlite-store.ts';
import { createEventBus } from './event-bus.ts';
import { createStoreFollower } from './follow-store.ts';

const LOOK = 1000;

let folder = '';
const stores: Store[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-follow-'));
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  rmSync(folder, { recursive: true });
});

const openStore = async (): Promise<Store> => {
  const store = await createSqliteStore({
    path: join(folder, 'crib.db'),
    runtime: createRuntime(),
  });
  stores.push(store);
  return store;
};

const follow = async (store: Store, onStore: () => void = () => undefined) => {
  const runtime = fakeRuntime();
  const events = createEventBus(runtime.log);
  const told: string[] = [];
  const follower = createStoreFollower({
    store: async () => {
      onStore();
      return store;
    },
    runtime,
    events,
    changes: {
      row: ({ kind, executionId }) => void told.push(`${kind} ${executionId}`),
      asked: ({ id }) => void told.push(`asked ${id}`),
      decided: ({ id, state }) => void told.push(`${state} ${id}`),
      overflowed: () => void told.push('overflowed'),
    },
  });
  follower.watch(true);
  await runtime.advance(LOOK);
  return { runtime, events, told, follower };
};

const outcome = (executionId: string) => auditEntry({ kind: 'outcome', executionId });
const said = { approve: true, by: 'grace', at: 1 };

describe('following the store', () => {
  it('tells the rows that another process appends, once and in order, and none from before', async () => {
    const [own, other] = [await openStore(), await openStore()];
    await other.audit.append(outcome('before'));
    const { told, runtime } = await follow(own);
    for (const id of ['one', 'two']) await other.audit.append(outcome(id));
    await runtime.advance(LOOK);
    await runtime.advance(LOOK);
    expect(told).toEqual(['outcome one', 'outcome two']);
  });

  it('passes over the rows of this process that nobody else wrote between', async () => {
    const [own, other] = [await openStore(), await openStore()];
    const { told, runtime } = await follow(own);
    for (let at = 0; at < 600; at++) void own.audit.append(outcome(`own-${at}`));
    await own.audit.append(outcome('own-last'));
    await runtime.advance(LOOK);
    await other.audit.append(outcome('other'));
    await runtime.advance(LOOK);
    expect(told).toEqual(['outcome other']);
  });

  it('tells of questions that another process asks, answers and lets go', async () => {
    const [own, other] = [await openStore(), await openStore()];
    await own.approvals.create(approvalRecord('old'));
    const { told, runtime, events } = await follow(own);
    await other.approvals.create(approvalRecord('new'));
    await runtime.advance(LOOK);
    await other.approvals.decide('old', said);
    await other.approvals.decide('new', { ...said, approve: false });
    await runtime.advance(LOOK);
    expect(told).toEqual(['asked new', 'approved old', 'denied new']);
    told.length = 0;
    await own.approvals.create(approvalRecord('mine'));
    events.emit('approval.requested', { approvalId: 'mine', tool: 't', summary: '' });
    await runtime.advance(LOOK);
    await other.approvals.decide('mine', said);
    await runtime.advance(LOOK);
    expect(told).toEqual(['approved mine']);
  });

  it('says that there is too much when another process wrote very much', async () => {
    const [own, other] = [await openStore(), await openStore()];
    const { told, runtime } = await follow(own);
    await Promise.all(
      Array.from({ length: 600 }, async (_, at) => other.audit.append(outcome(`${at}`))),
    );
    await runtime.advance(LOOK);
    await other.audit.append(outcome('after'));
    await runtime.advance(LOOK);
    expect(told).toEqual(['overflowed', 'outcome after']);
  });

  it('does not look while nobody watches, and starts anew when somebody does', async () => {
    const [own, other] = [await openStore(), await openStore()];
    let looks = 0;
    const { told, runtime, follower, events } = await follow(own, () => {
      looks += 1;
    });
    follower.watch(false);
    const before = looks;
    await other.audit.append(outcome('unseen'));
    await runtime.advance(60_000);
    expect([looks, runtime.pendingTimers]).toEqual([before, 0]);
    expect(events.has('approval.requested')).toBe(false);
    follower.watch(true);
    await runtime.advance(LOOK);
    await other.audit.append(outcome('seen'));
    await runtime.advance(LOOK);
    expect(told).toEqual(['outcome seen']);
    follower.watch(false);
  });

  it('leaves a store alone that no other process can write to', async () => {
    const { runtime } = await follow(createMemoryStore());
    expect(runtime.pendingTimers).toBe(0);
  });

  it('continues after the store could not be read', async () => {
    const [own, other] = [await openStore(), await openStore()];
    let isBroken = false;
    const { told, runtime } = await follow(own, () => {
      if (isBroken) throw new Error('locked');
    });
    isBroken = true;
    await other.audit.append(outcome('meanwhile'));
    await runtime.advance(LOOK);
    expect(told).toEqual([]);
    isBroken = false;
    await runtime.advance(LOOK);
    expect(told).toEqual(['outcome meanwhile']);
  });
});
