/** A server counts by itself, forgets what is too old, and stops when it is closed. */
import { expect, it } from 'vitest';
import { auditEntry } from '../../../test/conformance/store-samples.ts';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { DAY_MS, MINUTE_MS } from '../../kit/data/durations.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { keepFor } from './cover-range.ts';
import { keepCounting } from './keep-counting.ts';
import { TrailCounter } from './trail-counter.ts';

const KEEP = keepFor({ minutes: 1, hours: 2, days: 3 });

it('counts new calls every ten seconds, and forgets periods that are too old', async () => {
  const runtime = fakeRuntime();
  const store = createMemoryStore();
  const counter = new TrailCounter(store);
  const stop = keepCounting({ open: async () => ({ store, counter }), runtime, keep: KEEP });
  const at = runtime.now();
  const minute = at - (at % MINUTE_MS);
  const calls = async () =>
    (await store.rollUps.read({ kind: 'overall', grain: MINUTE_MS, from: minute, to: minute + 1 }))
      .length;
  await store.audit.append(auditEntry({ kind: 'outcome', status: 'success', at }));
  expect(await calls()).toBe(0);
  await runtime.advance(10_000);
  await expect.poll(calls).toBe(1);
  await runtime.advance(2 * DAY_MS + 20_000);
  await expect.poll(calls).toBe(0);
  await stop();
  await store.audit.append(auditEntry({ kind: 'outcome', status: 'success', at: runtime.now() }));
  await runtime.advance(60_000);
  expect(await store.rollUps.counted()).toBe(1);
});

it('goes on after the store has failed', async () => {
  const runtime = fakeRuntime();
  const store = createMemoryStore();
  const counter = new TrailCounter(store);
  let failures = 1;
  const open = async () => {
    if (failures-- > 0) throw new Error('no store');
    return { store, counter };
  };
  const stop = keepCounting({ open, runtime, keep: KEEP });
  await store.audit.append(auditEntry({ kind: 'outcome', status: 'success', at: runtime.now() }));
  await runtime.advance(10_000);
  await expect.poll(() => runtime.logged.length).toBe(1);
  await runtime.advance(10_000);
  await expect.poll(() => store.rollUps.counted()).toBe(1);
  await stop();
});
