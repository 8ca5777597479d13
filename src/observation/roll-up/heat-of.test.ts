/** Heat maps: when calls ended and how long they took, and the rows of the trail behind each cell. */
import { describe, expect, it } from 'vitest';
import { auditEntry } from '../../../test/conformance/store-samples.ts';
import type { AuditEntry } from '../../contract/audit.ts';
import type { MetricHeat } from '../../contract/metrics.ts';
import type { Store } from '../../contract/store.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kit/data/durations.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { keepFor } from './cover-range.ts';
import { MetricsReader } from './read-metrics.ts';
import { TrailCounter } from './trail-counter.ts';

const NOW = Date.UTC(2026, 10, 15, 12, 30);

const ended = (more: Partial<AuditEntry> = {}): AuditEntry =>
  auditEntry({ kind: 'outcome', status: 'success', code: '', at: NOW, ...more });

const storeWith = async (entries: readonly AuditEntry[]): Promise<Store> => {
  const store = createMemoryStore();
  for (const entry of entries) await store.audit.append(entry);
  return store;
};

const readerOf = (store: Store): MetricsReader => {
  const counter = new TrailCounter(store);
  return new MetricsReader({
    rollUps: store.rollUps,
    count: () => counter.count(),
    now: () => NOW,
    keep: keepFor({ minutes: 2, hours: 62, days: 1100 }),
  });
};

const callsIn = ({ cells }: MetricHeat): number => cells.reduce((sum, { calls }) => sum + calls, 0);

describe('a heat map of calls', () => {
  it('has for every cell as many calls as the trail has rows between its limits', async () => {
    const micros = [0, 1, 2, 3, 1000, 1023, 1024, 1025, 2048, 65_536, 999_999, 9e9];
    const entries = micros.flatMap((each, at) => [
      ended({ tool: 'a', durationMs: each / 1000, at: NOW - at * MINUTE_MS }),
      ended({ tool: 'b', durationMs: (each * 3) / 1000, at: NOW - at * MINUTE_MS }),
    ]);
    const store = await storeWith(entries);
    const heat = await readerOf(store).heat({ tool: 'a' });
    expect([heat.columnMs, callsIn(heat)]).toEqual([MINUTE_MS, micros.length]);
    for (const { start, calls, ...limits } of heat.cells) {
      const range = { from: start, to: start + heat.columnMs };
      const rows = await store.audit.query({ tool: 'a', ...range, ...limits });
      expect([limits, rows.length]).toEqual([limits, calls]);
    }
  });

  it('leaves out calls that did not run', async () => {
    const store = await storeWith([
      ended({ durationMs: 3 }),
      ended({ durationMs: 3, status: 'denied', code: 'PERMISSION_DENIED' }),
    ]);
    expect((await readerOf(store).heat()).cells).toEqual([
      { start: NOW, overMs: 2.048, upToMs: 4.096, calls: 1 },
    ]);
  });

  it.each([
    ['an hour', HOUR_MS, MINUTE_MS],
    ['a day', DAY_MS, HOUR_MS],
    ['a week', 7 * DAY_MS, 3 * HOUR_MS],
    ['a month', 30 * DAY_MS, DAY_MS],
    ['three years', 1095 * DAY_MS, 28 * DAY_MS],
  ])('shows %s in at most 60 columns and misses no call', async (_, lengthMs, columnMs) => {
    const ages = Array.from({ length: 40 }, (_each, at) => Math.floor((at / 40) * lengthMs));
    const store = await storeWith(ages.map((age) => ended({ at: NOW - age, durationMs: 7 })));
    const heat = await readerOf(store).heat({ from: NOW + MINUTE_MS - lengthMs, to: NOW + 1 });
    expect(heat.columnMs).toBe(columnMs);
    expect((heat.to - heat.from) / columnMs).toBeLessThanOrEqual(61);
    expect(callsIn(heat)).toBe(ages.length);
  });
});
