/** What every store owes to the counts of calls that it keeps. */
import { describe, expect, it } from 'vitest';
import type { CallCounts, RollUp } from '../../src/contract/metrics.ts';
import type { Store } from '../../src/contract/store.ts';
import { times } from './store-samples.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;

export const someCounts = (calls = 1, more: Partial<CallCounts> = {}): CallCounts => ({
  byStatus: { success: calls },
  byCode: {},
  retries: 0,
  cacheHits: 0,
  costMicros: 0,
  tokens: 0,
  totalMs: 2 * calls,
  maxMs: 2,
  cpuMs: 0,
  peakMemoryBytes: 0,
  durations: [352, calls],
  ...more,
});

export const aRollUp = (more: Partial<RollUp> = {}): RollUp => ({
  kind: 'tool',
  name: 'echo',
  grain: MINUTE,
  start: 0,
  counts: someCounts(),
  ...more,
});

const RANGE = { kind: 'tool', grain: MINUTE, from: 0, to: HOUR } as const;

export const describeRollUps = (
  use: (test: (store: Store) => Promise<void>) => Promise<void>,
): void => {
  describe('counts of calls', () => {
    it('adds counts to those of the same series and period, and moves the mark', () =>
      use(async ({ rollUps }) => {
        expect(await rollUps.counted()).toBe(0);
        const more = someCounts(2, {
          byStatus: { success: 1, failure: 1 },
          byCode: { NETWORK: 1 },
          maxMs: 9,
          durations: [100, 1, 400, 1],
        });
        expect(await rollUps.add({ after: 0, last: 3, rollUps: [aRollUp()] })).toBe(true);
        const second = [aRollUp({ counts: more }), aRollUp({ start: MINUTE })];
        expect(await rollUps.add({ after: 3, last: 5, rollUps: second })).toBe(true);
        expect(await rollUps.counted()).toBe(5);
        expect(await rollUps.read(RANGE)).toEqual([
          aRollUp({
            counts: someCounts(3, {
              byStatus: { success: 2, failure: 1 },
              byCode: { NETWORK: 1 },
              maxMs: 9,
              durations: [100, 1, 352, 1, 400, 1],
            }),
          }),
          aRollUp({ start: MINUTE }),
        ]);
      }));

    it('adds rows once, however many count them at the same time', () =>
      use(async ({ rollUps }) => {
        const rows = { after: 0, last: 7, rollUps: [aRollUp()] };
        const added = await Promise.all(times(8, () => rollUps.add(rows)));
        expect(added.filter((isAdded) => isAdded)).toHaveLength(1);
        expect(await rollUps.add(rows)).toBe(false);
        expect(await rollUps.counted()).toBe(7);
        expect(await rollUps.read(RANGE)).toEqual([aRollUp()]);
      }));

    it('reads one kind, grain and range, and one name where it is given', () =>
      use(async ({ rollUps }) => {
        const name = "a'\u0000name\ud800";
        const all = [
          aRollUp({ start: 2 * MINUTE }),
          aRollUp({ start: MINUTE, name }),
          aRollUp({ kind: 'caller' }),
          aRollUp({ grain: HOUR }),
          aRollUp({ start: HOUR }),
        ];
        await rollUps.add({ after: 0, last: 1, rollUps: all });
        expect(await rollUps.read(RANGE)).toEqual([all[1], all[0]]);
        expect(await rollUps.read({ ...RANGE, name })).toEqual([all[1]]);
        expect(await rollUps.read({ ...RANGE, name: 'nobody' })).toEqual([]);
        expect(await rollUps.read({ ...RANGE, from: MINUTE, to: 2 * MINUTE })).toEqual([all[1]]);
      }));

    it('forgets old periods of one grain, and says how many', () =>
      use(async ({ rollUps }) => {
        const all = [aRollUp(), aRollUp({ start: MINUTE }), aRollUp({ grain: HOUR })];
        await rollUps.add({ after: 0, last: 1, rollUps: all });
        expect(await rollUps.expire(MINUTE, MINUTE)).toBe(1);
        expect(await rollUps.read(RANGE)).toEqual([all[1]]);
        expect(await rollUps.read({ ...RANGE, grain: HOUR })).toEqual([all[2]]);
        expect(await rollUps.expire(MINUTE, MINUTE)).toBe(0);
      }));
  });
};
