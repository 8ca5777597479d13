/** Ranges of time: covered without gap or overlap, by the longest periods that fit. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kit/data/durations.ts';
import { coverRange } from './cover-range.ts';

const ALL = { [MINUTE_MS]: 0, [HOUR_MS]: 0, [DAY_MS]: 0 } as Record<60_000, number> &
  Record<3_600_000, number> &
  Record<86_400_000, number>;

it('coverRange uses days in the middle, and hours and minutes at the ends', () => {
  const from = DAY_MS - 2 * HOUR_MS - 5 * MINUTE_MS;
  const to = 3 * DAY_MS + HOUR_MS + MINUTE_MS;
  expect(coverRange({ from, to }, ALL)).toEqual([
    { grain: MINUTE_MS, from, to: DAY_MS - 2 * HOUR_MS },
    { grain: HOUR_MS, from: DAY_MS - 2 * HOUR_MS, to: DAY_MS },
    { grain: DAY_MS, from: DAY_MS, to: 3 * DAY_MS },
    { grain: HOUR_MS, from: 3 * DAY_MS, to: 3 * DAY_MS + HOUR_MS },
    { grain: MINUTE_MS, from: 3 * DAY_MS + HOUR_MS, to },
  ]);
});

it('coverRange covers any range of whole minutes once, each span by whole periods', () => {
  const minutes = fc.integer({ min: 0, max: 200_000 });
  fc.assert(
    fc.property(minutes, minutes, (one, other) => {
      const [from, to] = [Math.min(one, other) * MINUTE_MS, Math.max(one, other) * MINUTE_MS];
      let at = from;
      for (const span of coverRange({ from, to }, ALL)) {
        expect(span.from).toBe(at);
        expect(span.to).toBeGreaterThan(span.from);
        expect([span.from % span.grain, span.to % span.grain]).toEqual([0, 0]);
        at = span.to;
      }
      expect(at).toBe(to);
    }),
  );
});

it('coverRange widens the ends to periods that are still kept', () => {
  const oldest = { ...ALL, [MINUTE_MS]: 10 * DAY_MS, [HOUR_MS]: 5 * DAY_MS };
  const range = { from: DAY_MS + HOUR_MS, to: 6 * DAY_MS + 90 * MINUTE_MS };
  expect(coverRange(range, oldest)).toEqual([
    { grain: DAY_MS, from: DAY_MS, to: 6 * DAY_MS },
    { grain: HOUR_MS, from: 6 * DAY_MS, to: 6 * DAY_MS + 2 * HOUR_MS },
  ]);
});
