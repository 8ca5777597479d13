/** Makes the cells of a heat map from counts: time across, duration in doublings upwards. */
import {
  METRIC_GRAINS,
  type MetricGrain,
  type MetricHeatCell,
  type RollUp,
} from '../../contract/metrics.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kit/data/durations.ts';
import { callsByDoubling, limitsOf } from '../../kit/metrics/duration-buckets.ts';
import { floorTo } from './cover-range.ts';

/** The possible lengths of a column; each is a multiple of a grain. */
const LENGTHS = [1, 5, 15]
  .map((minutes) => minutes * MINUTE_MS)
  .concat([1, 3, 6].map((hours) => hours * HOUR_MS))
  .concat([1, 7, 28].map((days) => days * DAY_MS));

const MAX_COLUMNS = 60;

export interface HeatColumns {
  readonly columnMs: number;
  /** The grain of the periods that are summed in a column. */
  readonly grain: MetricGrain;
}

const grainOf = (columnMs: number): MetricGrain =>
  METRIC_GRAINS.findLast((grain) => columnMs % grain === 0) ?? METRIC_GRAINS[0];

/** Chooses the shortest columns that are few enough and whose periods are still kept. */
export const columnsFor = (
  { from, to }: { readonly from: number; readonly to: number },
  oldest: Readonly<Record<MetricGrain, number>>,
): HeatColumns => {
  const choices = LENGTHS.map((columnMs) => ({ columnMs, grain: grainOf(columnMs) }));
  const fits = ({ columnMs, grain }: HeatColumns): boolean =>
    (to - from) / columnMs <= MAX_COLUMNS && from >= oldest[grain];
  const longest = { columnMs: 28 * DAY_MS, grain: DAY_MS as MetricGrain };
  return choices.find(fits) ?? longest;
};

export const heatCells = (
  rollUps: readonly RollUp[],
  columnMs: number,
): readonly MetricHeatCell[] => {
  const columns = new Map<number, Map<number, number>>();
  for (const { start, counts } of rollUps) {
    const column = floorTo(start, columnMs);
    const sums = columns.get(column) ?? new Map<number, number>();
    columns.set(column, sums);
    for (const [doubling, calls] of callsByDoubling(counts.durations)) {
      sums.set(doubling, (sums.get(doubling) ?? 0) + calls);
    }
  }
  return [...columns].flatMap(([start, sums]) =>
    [...sums]
      .sort(([one], [other]) => one - other)
      .map(([doubling, calls]) => ({ start, ...limitsOf(doubling), calls })),
  );
};
