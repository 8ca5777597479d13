/** Who forgets old rows, and when: once a day a store, after a call, without anybody waiting. */
import { describe, expect, it } from 'vitest';
import { auditEntry, times } from '../../../test/conformance/store-samples.ts';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import type { Store } from '../../contract/store.ts';
import { createEventBus } from '../../observation/event-bus.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import type { OldRowsPruned } from './prune-old-rows.ts';
import { Retention, type RetentionDeps } from './retention.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DONE: OldRowsPruned = { rows: 3, throughSeq: 3, isDone: true };

type Prune = RetentionDeps['prune'];

const open = (prune: Prune = async () => DONE, store: Store = createMemoryStore()) => {
  const runtime = fakeRuntime();
  const events = createEventBus(runtime.log);
  const asked: Parameters<Prune>[0][] = [];
  const retention = new Retention({
    store,
    events,
    runtime,
    keepMs: 2 * DAY_MS,
    prune: (request) => {
      asked.push(request);
      return prune(request);
    },
  });
  retention.start();
  const call = async (): Promise<void> => {
    events.emit('call.measured', {} as never);
    await runtime.advance(0);
  };
  const fill = async (age: number): Promise<void> =>
    store.audit.append(auditEntry({ at: runtime.now() - age }));
  return { runtime, events, store, asked, retention, call, fill };
};

describe('retention', () => {
  it('starts with the first call, and ignores later ones', async () => {
    const { events, asked, runtime, call, fill } = open();
    await fill(2 * DAY_MS + 1);
    await runtime.advance(1000);
    expect(asked).toEqual([]);
    await call();
    expect(asked).toMatchObject([{ at: runtime.now(), before: runtime.now() - 2 * DAY_MS }]);
    expect(events.has('call.measured')).toBe(false);
    expect(runtime.logged).toEqual([
      expect.objectContaining({ level: 'info', fields: { rows: 3, throughSeq: 3 } }),
    ]);
  });

  it('runs again once a day while the process lives, with or without calls', async () => {
    const { asked, runtime, fill } = open(async () => ({ ...DONE, rows: 0 }));
    await fill(2 * DAY_MS + 1);
    await runtime.advance(HOUR_MS);
    expect(asked).toHaveLength(1);
    await runtime.advance(23 * HOUR_MS);
    expect(asked).toHaveLength(1);
    await runtime.advance(HOUR_MS);
    expect(asked).toHaveLength(2);
    expect(runtime.logged).toEqual([]);
  });

  it('leaves a store alone in which nothing is old', async () => {
    const { asked, store, runtime, call, fill } = open();
    await call();
    await fill(2 * DAY_MS);
    await runtime.advance(0);
    expect([asked, await store.memory.read('["audit-retention"]', 'last', 0)]).toEqual([
      [],
      undefined,
    ]);
  });

  it('runs in one of several processes', async () => {
    const store = createMemoryStore();
    const cribs = times(5, () => open(async () => DONE, store));
    await cribs[0]?.fill(3 * DAY_MS);
    for (const { events } of cribs) events.emit('call.measured', {} as never);
    for (const { runtime } of cribs) await runtime.advance(0);
    expect(cribs.flatMap(({ asked }) => asked)).toHaveLength(1);
  });

  it('ignores a mark in the future, which a wrong clock left', async () => {
    const { asked, store, runtime, call, fill } = open();
    await fill(3 * DAY_MS);
    const value = { at: runtime.now() + DAY_MS, by: 'x' };
    await store.memory.write({ space: '["audit-retention"]', key: 'last', value });
    await call();
    expect(asked).toHaveLength(1);
  });

  it('writes a failure to the log and tries again the next day', async () => {
    const { asked, runtime, call, fill } = open(() => Promise.reject(new Error('no room')));
    await fill(3 * DAY_MS);
    await call();
    expect(runtime.logged).toMatchObject([{ level: 'warn', fields: { error: 'Error: no room' } }]);
    await runtime.advance(DAY_MS - 1);
    expect(asked).toHaveLength(1);
    await runtime.advance(HOUR_MS);
    expect(asked).toHaveLength(2);
  });
});

describe('retention between two steps', () => {
  const inSteps: Prune = async ({ shouldContinue }) => {
    let rows = 1;
    while (rows < 3 && (await shouldContinue())) rows += 1;
    return { rows, throughSeq: rows, isDone: rows === 3 };
  };

  it('lets calls run', async () => {
    const { runtime, retention, call, fill } = open(inSteps);
    await fill(3 * DAY_MS);
    await call();
    await runtime.advance(50);
    expect(runtime.logged).toEqual([]);
    await runtime.advance(50);
    expect(runtime.logged).toMatchObject([{ fields: { rows: 3 } }]);
    await retention.stop();
  });

  it('stops at once at the end of the process, and the next process continues', async () => {
    const { runtime, retention, store, call, fill } = open(inSteps);
    await fill(3 * DAY_MS);
    await call();
    await retention.stop();
    expect(runtime.logged).toMatchObject([{ fields: { rows: 1 } }]);
    expect(runtime.pendingTimers).toBe(0);
    const next = open(async () => DONE, store);
    await next.call();
    expect(next.asked).toHaveLength(1);
  });

  it('waits at the end for a step that is under way', async () => {
    let end: (() => void) | undefined;
    const { runtime, retention, call, fill } = open(async ({ shouldContinue }) => {
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      return { ...DONE, isDone: await shouldContinue() };
    });
    await fill(3 * DAY_MS);
    await call();
    const stopped = retention.stop();
    end?.();
    await stopped;
    expect(runtime.logged).toMatchObject([{ level: 'info' }]);
    expect(runtime.pendingTimers).toBe(0);
  });

  it('that was stopped before any call reacts to none', async () => {
    const { events, runtime, asked, retention, call, fill } = open();
    await fill(3 * DAY_MS);
    await retention.stop();
    await call();
    await runtime.advance(DAY_MS);
    expect([asked, events.has('call.measured'), runtime.pendingTimers]).toEqual([[], false, 0]);
  });
});
