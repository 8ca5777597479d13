/** Splits a range of time into the longest counted periods: days, then hours, then minutes. */
import { METRIC_GRAINS, type MetricGrain } from '../../contract/metrics.ts';
import { DAY_MS } from '../../kit/data/durations.ts';

export interface Span {
  readonly grain: MetricGrain;
  readonly from: number;
  readonly to: number;
}

const [MINUTE, HOUR, DAY] = METRIC_GRAINS;

/** Reads the setting `observation.historyDays` as milliseconds by grain. */
export const keepFor = (days: {
  readonly minutes: number;
  readonly hours: number;
  readonly days: number;
}): Readonly<Record<MetricGrain, number>> => ({
  [MINUTE]: days.minutes * DAY_MS,
  [HOUR]: days.hours * DAY_MS,
  [DAY]: days.days * DAY_MS,
});

export const floorTo = (at: number, grain: number): number => Math.floor(at / grain) * grain;
export const ceilTo = (at: number, grain: number): number => Math.ceil(at / grain) * grain;

/** The grain below which a grain is taken apart. */
const FINER: Readonly<Record<MetricGrain, MetricGrain | undefined>> = {
  [DAY]: HOUR,
  [HOUR]: MINUTE,
  [MINUTE]: undefined,
};

const coverWith = (grain: MetricGrain, from: number, to: number): readonly Span[] => {
  if (from >= to) return [];
  const first = ceilTo(from, grain);
  const last = floorTo(to, grain);
  const finer = FINER[grain];
  if (finer === undefined) return [{ grain, from, to }];
  if (first >= last) return coverWith(finer, from, to);
  return [
    ...coverWith(finer, from, first),
    { grain, from: first, to: last },
    ...coverWith(finer, last, to),
  ];
};

/** Returns the grain of the shortest periods that are still kept for a moment. */
const finestAt = (at: number, oldest: OldestPeriods): MetricGrain =>
  METRIC_GRAINS.find((grain) => at >= oldest[grain]) ?? DAY;

/** The moment from which on all periods of each grain are kept. */
export type OldestPeriods = Readonly<Record<MetricGrain, number>>;

/** Covers a range. Widens its ends to the shortest periods that are still kept there. */
export const coverRange = (
  { from, to }: { readonly from: number; readonly to: number },
  oldest: OldestPeriods,
): readonly Span[] =>
  coverWith(DAY, floorTo(from, finestAt(from, oldest)), ceilTo(to, finestAt(to, oldest)));
