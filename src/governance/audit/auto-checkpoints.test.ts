/** When checkpoints are made without being asked for, and what becomes of those that do not arrive. */
import { describe, expect, it } from 'vitest';
import { auditEntry } from '../../../test/conformance/store-samples.ts';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { openTestKey } from '../../../test/fixtures/signing-key.ts';
import type { AuditCheckpoint } from '../../contract/audit.ts';
import type { Store } from '../../contract/store.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { AutoCheckpoints, readCheckpointState } from './auto-checkpoints.ts';
import { makeAnchor, makeCheckpoint } from './checkpoint.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

interface Place {
  readonly book: AuditCheckpoint[];
  readonly delivered: AuditCheckpoint[];
  isDown: boolean;
}

const open = (place: Partial<Place> = {}, store: Store = createMemoryStore()) => {
  const runtime = fakeRuntime();
  const state: Place = { book: [], delivered: [], isDown: false, ...place };
  const key = openTestKey();
  const sign = async (): Promise<AuditCheckpoint> => {
    const head = await store.audit.head();
    const note = makeCheckpoint(head, { at: runtime.now(), store: 'test', key });
    state.book.push(note);
    return note;
  };
  const deliver = async (note: AuditCheckpoint): Promise<void> => {
    if (state.isDown) throw new Error('no route');
    state.delivered.push(note);
  };
  const recall = async () => [...state.book];
  const auto = new AutoCheckpoints({
    store,
    runtime,
    every: 5,
    minutes: 10,
    recall,
    sign,
    deliver,
  });
  const fill = async (rows: number): Promise<void> => {
    for (let n = 0; n < rows; n++) await store.audit.append(auditEntry({ at: runtime.now() }));
  };
  return {
    auto,
    runtime,
    store,
    state,
    fill,
    key,
    seqs: () => state.delivered.map(({ seq }) => seq),
  };
};

describe('automatic checkpoints', () => {
  it('are made after the configured number of rows, and not before', async () => {
    const { auto, runtime, fill, seqs, state } = open();
    state.book.push({ ...(await noteOf(runtime.now())), seq: 0 });
    auto.start();
    await fill(4);
    await runtime.advance(1000);
    expect(seqs()).toEqual([]);
    await fill(1);
    await runtime.advance(1000);
    expect(seqs()).toEqual([5]);
    await fill(12);
    await runtime.advance(1000);
    expect(seqs()).toEqual([5, 17]);
  });

  it('are made after the configured minutes if there are new rows', async () => {
    const { auto, runtime, fill, seqs } = open();
    auto.start();
    await fill(1);
    await runtime.advance(1000);
    expect(seqs()).toEqual([1]);
    await runtime.advance(11 * MINUTE_MS);
    expect(seqs()).toEqual([1]);
    await fill(1);
    await runtime.advance(1000);
    expect(seqs()).toEqual([1, 2]);
  });

  it('stop() makes the last one that is due, and nothing follows', async () => {
    const { auto, runtime, fill, seqs } = open();
    auto.start();
    await fill(5);
    await auto.stop();
    expect(seqs()).toEqual([5]);
    await fill(5);
    await runtime.advance(5000);
    expect(seqs()).toEqual([5]);
  });

  it('stop() waits for a delivery that is under way, and nothing follows', async () => {
    const store = createMemoryStore();
    const append = () => store.audit.append(auditEntry());
    let arrive: () => void = () => undefined;
    const runtime = fakeRuntime();
    const key = openTestKey();
    const auto = new AutoCheckpoints({
      store,
      runtime,
      every: 1,
      minutes: 10,
      recall: async () => [],
      sign: async () =>
        makeCheckpoint(await store.audit.head(), { at: runtime.now(), store: 'test', key }),
      deliver: () =>
        new Promise((done) => {
          arrive = done;
        }),
    });
    auto.start();
    await append();
    await runtime.advance(1000);
    const stopped = auto.stop();
    arrive();
    await stopped;
    expect(runtime.pendingTimers).toBe(0);
  });

  it('are not made of an empty trail', async () => {
    const { auto, state } = open();
    await auto.stop();
    expect(state.book).toEqual([]);
  });

  it('are delivered again in order once an unreachable destination is back', async () => {
    const { auto, runtime, store, fill, seqs, state } = open({ isDown: true });
    auto.start();
    for (let n = 0; n < 3; n++) {
      await fill(5);
      await runtime.advance(1000);
    }
    expect(seqs()).toEqual([]);
    expect(await readCheckpointState(store, runtime.now())).toMatchObject({
      deliveredSeq: 0,
      problem: 'no route',
    });
    expect(runtime.logged.some(({ message }) => message.includes('could not be handed'))).toBe(
      true,
    );
    state.isDown = false;
    await runtime.advance(10_000);
    expect(seqs()).toEqual([5, 10, 15]);
    const after = await readCheckpointState(store, runtime.now());
    expect(after).toMatchObject({ deliveredSeq: 15 });
    expect(after).not.toHaveProperty('problem');
  });

  it('are delivered again although the clock was set back since', async () => {
    const { auto, runtime, fill, seqs, state } = open({ isDown: true });
    const { now } = runtime;
    await fill(5);
    await auto.look();
    state.isDown = false;
    Object.assign(runtime, { now: () => now() - DAY_MS });
    await runtime.advance(10_000);
    await auto.look();
    expect(seqs()).toEqual([5]);
  });

  it('are made by their minutes although the last one was made by a clock that was ahead', async () => {
    const { auto, runtime, fill, seqs, state } = open();
    state.book.push({ ...(await noteOf(runtime.now() + DAY_MS)), seq: 0 });
    await fill(1);
    await auto.look();
    expect(seqs()).toEqual([1]);
  });

  it('are delivered by the next process when the one before could not', async () => {
    const first = open({ isDown: true });
    await first.fill(5);
    await first.auto.stop();
    expect(first.seqs()).toEqual([]);
    const next = open({ book: first.state.book }, first.store);
    await next.auto.look();
    expect(next.seqs()).toEqual([5]);
  });

  it('are not made again when another process has just made one', async () => {
    const { auto, fill, state, store, runtime, key } = open();
    await fill(5);
    await auto.look();
    await fill(5);
    const head = await store.audit.head();
    state.book.push(makeCheckpoint(head, { at: runtime.now(), store: 'test', key }));
    await auto.look();
    expect(state.book.map(({ seq }) => seq)).toEqual([5, 10]);
  });

  it('threat: are not made once a signed row has changed', async () => {
    const { auto, fill, state, runtime } = open();
    await fill(5);
    await auto.look();
    state.book.push({ ...(state.book[0] as AuditCheckpoint), hash: 'f'.repeat(64) });
    await fill(5);
    await auto.look();
    expect(state.book).toHaveLength(2);
    expect(runtime.logged.some(({ message }) => message.includes('no checkpoint'))).toBe(true);
  });

  it('benign: are still made after signed rows were pruned', async () => {
    const { auto, fill, store, runtime, key, seqs } = open();
    await fill(5);
    await auto.look();
    const head = await store.audit.head();
    if (head) await store.audit.prune(makeAnchor(head, { at: runtime.now(), store: 'test', key }));
    await fill(5);
    await auto.look();
    expect(seqs()).toEqual([5, 10]);
  });
});

const noteOf = async (at: number): Promise<AuditCheckpoint> =>
  makeCheckpoint(undefined, { at, store: 'test', key: openTestKey() });
