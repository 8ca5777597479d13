/** Figures of past calls: counted from the trail, over any range, by whatever process asks. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditEntry } from '../../../test/conformance/store-samples.ts';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { AuditEntry } from '../../contract/audit.ts';
import type { RollUp } from '../../contract/metrics.ts';
import type { Store } from '../../contract/store.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kit/data/durations.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { keepFor } from './cover-range.ts';
import { NO_COUNTS } from './figures-of.ts';
import { MetricsReader } from './read-metrics.ts';
import { TrailCounter } from './trail-counter.ts';

const NOW = Date.UTC(2026, 10, 15, 12, 30);
const KEEP = keepFor({ minutes: 2, hours: 62, days: 1100 });

const ended = (more: Partial<AuditEntry> = {}): AuditEntry =>
  auditEntry({ kind: 'outcome', status: 'success', code: '', at: NOW, ...more });

const storeWith = async (entries: readonly AuditEntry[]): Promise<Store> => {
  const store = createMemoryStore();
  for (const entry of entries) await store.audit.append(entry);
  return store;
};

const readerOf = (store: Store, now = NOW): MetricsReader => {
  const counter = new TrailCounter(store);
  return new MetricsReader({
    rollUps: store.rollUps,
    count: () => counter.count(),
    now: () => now,
    keep: KEEP,
  });
};

const exact = (durations: readonly number[], share: number): number => {
  const sorted = [...durations].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
};

describe('the figures of past calls', () => {
  it('have percentiles within 2 % of those of the rows, over days, hours and minutes', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            ago: fc.integer({ min: 0, max: 40 * DAY_MS }),
            // Whole microseconds, as the trail keeps them.
            durationMs: fc.integer({ min: 1, max: 600_000_000 }).map((micros) => micros / 1000),
          }),
          { minLength: 1, maxLength: 60 },
        ),
        fc.integer({ min: 1, max: 40 * 24 }),
        async (calls, hours) => {
          const entries = calls.map(({ ago, durationMs }) => ended({ at: NOW - ago, durationMs }));
          const store = await storeWith(entries);
          const from = NOW + MINUTE_MS - hours * HOUR_MS;
          const figures = await readerOf(store).summary({ from, to: NOW + 1 });
          // Older than two days, the hour that the range begins in counts as a whole.
          const start = NOW - from > 2 * DAY_MS ? from - (from % HOUR_MS) : from;
          const rows = entries.filter(({ at }) => at >= start).map((entry) => entry.durationMs);
          expect(figures.calls).toBe(rows.length);
          for (const [share, figure] of [
            [0.5, figures.medianExecutionTime],
            [0.95, figures.p95ExecutionTime],
            [0.99, figures.p99ExecutionTime],
          ] as const) {
            const want = exact(rows, share);
            expect(Math.abs(figure - want)).toBeLessThanOrEqual(want * 0.02);
          }
        },
      ),
      { numRuns: 60 },
    ));

  it.each([
    ['all of one length', () => 12.5],
    ['evenly spread', (unit: () => number) => 1 + unit() * 5000],
    ['mostly short with a long tail', (unit: () => number) => 0.05 / (1 - unit()) ** 1.2],
    ['around one length', (unit: () => number) => Math.exp(3 + unit() + unit() - unit() - unit())],
    ['two groups far apart', (unit: () => number) => (unit() < 0.9 ? 1 + unit() : 900 + unit())],
  ])('have percentiles within 2 %% of the rows for durations %s', async (_, draw) => {
    let seed = 7;
    const unit = (): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed / 2 ** 31;
    };
    const rows = Array.from({ length: 3000 }, () => Math.ceil(draw(unit) * 1000) / 1000);
    const entries = rows.map((durationMs, at) => ended({ durationMs, at: NOW - at * MINUTE_MS }));
    const figures = await readerOf(await storeWith(entries)).summary({ from: NOW - 3 * DAY_MS });
    expect(figures.calls).toBe(rows.length);
    for (const [share, figure] of [
      [0.5, figures.medianExecutionTime],
      [0.95, figures.p95ExecutionTime],
      [0.99, figures.p99ExecutionTime],
    ] as const) {
      const want = exact(rows, share);
      expect(Math.abs(figure - want) / want).toBeLessThanOrEqual(0.02);
    }
  });

  it('count statuses, codes, retries, cache hits, money and tokens', async () => {
    const store = await storeWith([
      ended({ durationMs: 10, costMicros: 250_000, detail: { tokens: 40, attempts: 3 } }),
      ended({ durationMs: 0.1, detail: { cached: true } }),
      ended({ durationMs: 30, status: 'failure', code: 'NETWORK' }),
      ended({ durationMs: 90, status: 'timeout', code: 'TIMEOUT' }),
      ended({ durationMs: 5, status: 'denied', code: 'PERMISSION_DENIED' }),
      ended({ durationMs: 5, status: 'pending', code: 'APPROVAL_REQUIRED' }),
      ended({ durationMs: 5, detail: { dryRun: true } }),
      auditEntry({ kind: 'event', at: NOW }),
    ]);
    const figures = await readerOf(store).summary();
    expect(figures).toMatchObject({
      calls: 6,
      successRate: 0.5,
      errorRate: 0.5,
      byStatus: { success: 2, failure: 1, timeout: 1, denied: 1, pending: 1 },
      byCode: { NETWORK: 1, TIMEOUT: 1, PERMISSION_DENIED: 1, APPROVAL_REQUIRED: 1 },
      attempts: 5,
      cacheHits: 1,
      costUsd: 0.25,
      tokens: 40,
      maxExecutionTime: 90,
    });
    expect(figures.averageExecutionTime).toBeCloseTo(130.1 / 4);
    expect(figures.concurrency).toBeCloseTo(130.1 / HOUR_MS);
    expect(figures.throughput).toBeCloseTo(6 / 3600);
  });

  it('are kept in total and by tool, source and caller', async () => {
    const store = await storeWith([
      ended({ tool: 'a', userId: 'ada' }),
      ended({ tool: 'a', userId: 'bob', detail: { source: 'mcp:files' } }),
      ended({ tool: 'b', userId: 'ada', status: 'failure', code: 'NETWORK' }),
    ]);
    const metrics = readerOf(store);
    const lines = async (kind: 'tool' | 'source' | 'caller') =>
      (await metrics.by(kind)).map(({ name, calls }) => [name, calls]);
    expect(await lines('tool')).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
    expect(await lines('source')).toEqual([
      ['builtin', 2],
      ['mcp:files', 1],
    ]);
    expect(await lines('caller')).toEqual([
      ['ada', 2],
      ['bob', 1],
    ]);
    expect(await metrics.by('tool', { limit: 1 })).toHaveLength(1);
    expect((await metrics.summary({ tool: 'b' })).errorRate).toBe(1);
    expect((await metrics.summary({ source: 'mcp:files' })).calls).toBe(1);
    expect((await metrics.summary({ caller: 'nobody' })).calls).toBe(0);
  });

  it('threat: thousands of callers do not have their durations added up when a few are shown', async () => {
    let read = 0;
    const rowOf = (name: string, calls: number, start: number) => ({
      ...({ kind: 'caller', grain: HOUR_MS, name, start } as const),
      counts: {
        ...NO_COUNTS,
        byStatus: { success: calls },
        get durations() {
          read += 1;
          return [];
        },
      },
    });
    const names = Array.from({ length: 5000 }, (_, at) => `user-${at}`);
    const rows = names.flatMap((name, at) => [rowOf(name, at, 0), rowOf(name, at, HOUR_MS)]);
    const reader = new MetricsReader({
      rollUps: { read: async ({ grain }) => (grain === HOUR_MS ? (rows as RollUp[]) : []) },
      count: async () => undefined,
      now: () => NOW,
      keep: KEEP,
    });
    const lines = await reader.by('caller', { from: NOW - 2 * HOUR_MS, limit: 2 });
    expect(lines.map(({ name, calls }) => [name, calls])).toEqual([
      ['user-4999', 9998],
      ['user-4998', 9996],
    ]);
    expect(read).toBeLessThan(20);
  });

  it('threat: names of tools that a caller makes up share one entry', async () => {
    const crib = await testCrib([aTool()]);
    for (let at = 0; at < 20; at++) await crib.execute(`made_up_${at}`, {});
    const names = (await crib.metrics.by('tool')).map(({ name }) => name);
    expect(names).toEqual(['(unknown)']);
  });

  it('have points by minute, hour or day, depending on the length of the range', async () => {
    const store = await storeWith([
      ended({ at: NOW - 30 * DAY_MS }),
      ended({ at: NOW - 3 * HOUR_MS }),
      ended({ at: NOW - 3 * HOUR_MS }),
    ]);
    const metrics = readerOf(store);
    const hour = await metrics.history({ from: NOW - 4 * HOUR_MS });
    expect([hour.stepMs, hour.points.length, hour.points[0]?.calls]).toEqual([MINUTE_MS, 1, 2]);
    const month = await metrics.history({ from: NOW - 31 * DAY_MS });
    expect([month.stepMs, month.points.map(({ calls }) => calls)]).toEqual([DAY_MS, [1, 2]]);
    expect(month.total.calls).toBe(3);
    const asked = await metrics.history({ from: NOW - DAY_MS, step: 'hour' });
    expect(asked.points.map(({ start }) => start)).toEqual([Date.UTC(2026, 10, 15, 9)]);
  });

  it('answer any range without complaint, infinite and empty ones too', async () => {
    const metrics = readerOf(await storeWith([ended()]));
    const all = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
    expect((await metrics.summary(all)).calls).toBe(1);
    expect((await metrics.summary({ from: NOW + DAY_MS, to: NOW })).calls).toBe(0);
    expect((await metrics.history({ from: NOW + DAY_MS, to: NOW })).points).toEqual([]);
  });

  it('count each row once, whatever number of readers ask at the same time', async () => {
    const store = await storeWith(Array.from({ length: 50 }, () => ended()));
    const readers = Array.from({ length: 5 }, () => readerOf(store));
    const all = await Promise.all(readers.map((reader) => reader.summary()));
    expect(all.map(({ calls }) => calls)).toEqual([50, 50, 50, 50, 50]);
  });

  it('are refused for an invalid range, kind or name', async () => {
    const crib = await testCrib([aTool()]);
    await expect(crib.metrics.summary({ from: 'now' } as never)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await expect(crib.metrics.by('overall' as never)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await expect(crib.metrics.history({ step: 'week' } as never)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });
});
