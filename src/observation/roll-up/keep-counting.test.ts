/** A server counts by itself, forgets what is too old, and stops when it is closed. */
import { expect, it } from 'vitest';
import { auditEntry } from '../../../test/conformance/store-samples.ts';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kit/data/durations.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { keepFor } from './cover-range.ts';
import { keepCounting } from './keep-counting.ts';
import { TrailCounter } from './trail-counter.ts';

const KEEP = keepFor({ minutes: 1, hours: 2, days: 3 });

/** Counts the calls of a store; the clock can be set, and time passes by it as it does by any clock. */
const counting = () => {
  const fake = fakeRuntime();
  let ahead = 0;
  const runtime = { ...fake, now: () => fake.now() + ahead };
  const store = createMemoryStore();
  const counter = new TrailCounter(store);
  const stop = keepCounting({ open: async () => ({ store, counter }), runtime, keep: KEEP });
  const call = (at: number) =>
    store.audit.append(auditEntry({ kind: 'outcome', status: 'success', at }));
  const minutesFrom = async (at: number) => {
    const start = at - (at % MINUTE_MS);
    const range = { kind: 'overall', grain: MINUTE_MS, from: start, to: start + 1 } as const;
    return (await store.rollUps.read(range)).length;
  };
  return {
    store,
    stop,
    call,
    minutesFrom,
    now: runtime.now,
    advance: (ms: number) => fake.advance(ms),
    setAhead: (ms: number) => {
      ahead = ms;
    },
  };
};

it('keepCounting counts new calls every ten seconds, and deletes periods that are too old', async () => {
  const { store, stop, call, minutesFrom, now, advance } = counting();
  const at = now();
  await call(at);
  expect(await minutesFrom(at)).toBe(0);
  await advance(10_000);
  await expect.poll(() => minutesFrom(at)).toBe(1);
  await call(at + 3 * DAY_MS);
  await advance(2 * DAY_MS + HOUR_MS + 20_000);
  await expect.poll(() => minutesFrom(at)).toBe(0);
  await stop();
  await call(now());
  await advance(60_000);
  expect(await store.rollUps.counted()).toBe(2);
});

it('keepCounting deletes nothing by a clock that is a year ahead for less than an hour, with or without calls', async () => {
  const { stop, call, minutesFrom, now, advance, setAhead } = counting();
  const at = now();
  await call(at);
  await advance(HOUR_MS - 60_000);
  setAhead(365 * DAY_MS);
  await call(now());
  await advance(50 * MINUTE_MS);
  setAhead(0);
  await advance(3 * HOUR_MS);
  expect(await minutesFrom(at)).toBe(1);
  await stop();
});

it('keepCounting deletes nothing by a clock that stays ahead while nobody calls', async () => {
  const { stop, call, minutesFrom, now, advance, setAhead } = counting();
  const at = now();
  await call(at);
  await advance(20_000);
  setAhead(365 * DAY_MS);
  await advance(5 * HOUR_MS);
  expect(await minutesFrom(at)).toBe(1);
  await call(now());
  await advance(2 * HOUR_MS);
  expect(await minutesFrom(at)).toBe(0);
  await stop();
});

it('keepCounting continues after the store has failed', async () => {
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
