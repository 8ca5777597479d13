/** Answers questions about calls from the counts, after it has counted what is new in the trail. */
import {
  type CallCounts,
  type CallFigures,
  type CribMetrics,
  METRIC_GRAINS,
  type MetricGrain,
  type MetricHeat,
  type MetricHistory,
  type MetricHistoryQuery,
  type MetricKind,
  type MetricLine,
  type MetricRange,
  type MetricScope,
  type RollUps,
} from '../../contract/metrics.ts';
import { HOUR_MS } from '../../kit/data/durations.ts';
import { addCounts } from '../../kit/metrics/add-counts.ts';
import { ceilTo, coverRange, floorTo, type OldestPeriods } from './cover-range.ts';
import { figuresOf, NO_COUNTS } from './figures-of.ts';
import { columnsFor, heatCells } from './heat-of.ts';

export interface ReadMetricsDeps {
  readonly rollUps: Pick<RollUps, 'read'>;
  /** Counts what is new in the trail. */
  count(): Promise<void>;
  now(): number;
  /** How long the periods of each grain are kept, in milliseconds. */
  readonly keep: Readonly<Record<MetricGrain, number>>;
}

const [MINUTE, HOUR, DAY] = METRIC_GRAINS;
const MAX_POINTS = 400;
/** The last moment that a `Date` can tell. */
const MAX_TIME = 8.64e15;
const DEFAULT_LINES = 50;
const STEPS = { minute: MINUTE, hour: HOUR, day: DAY } as const;

interface Range {
  readonly from: number;
  readonly to: number;
}

interface Scope {
  readonly kind: MetricKind;
  readonly name: string;
}

const scopeOf = ({ tool, source, caller }: MetricScope): Scope => {
  if (tool !== undefined) return { kind: 'tool', name: tool };
  if (source !== undefined) return { kind: 'source', name: source };
  if (caller !== undefined) return { kind: 'caller', name: caller };
  return { kind: 'overall', name: '' };
};

/** No call ended before 1970, and no database has room for infinity. */
const withinTime = (at: number): number => Math.min(Math.max(at, 0), MAX_TIME);

const lengthOf = ({ from, to }: Range): number => Math.max(to - from, 1);

export class MetricsReader implements Omit<CribMetrics, 'watch'> {
  readonly #deps: ReadMetricsDeps;

  constructor(deps: ReadMetricsDeps) {
    this.#deps = deps;
  }

  async summary(query: MetricRange & MetricScope = {}): Promise<CallFigures> {
    const range = this.#range(query);
    await this.#deps.count();
    return figuresOf(await this.#total(scopeOf(query), range), lengthOf(range));
  }

  async history(query: MetricHistoryQuery = {}): Promise<MetricHistory> {
    const range = this.#range(query);
    await this.#deps.count();
    const stepMs = query.step ? STEPS[query.step] : this.#stepFor(range);
    const rows = await this.#deps.rollUps.read({
      ...scopeOf(query),
      grain: stepMs,
      from: floorTo(range.from, stepMs),
      to: ceilTo(range.to, stepMs),
    });
    const points = rows.map(({ start, counts }) => ({ start, ...figuresOf(counts, stepMs) }));
    const total = figuresOf(await this.#total(scopeOf(query), range), lengthOf(range));
    return { ...range, stepMs, points, total };
  }

  async heat(query: MetricRange & MetricScope = {}): Promise<MetricHeat> {
    const range = this.#range(query);
    await this.#deps.count();
    const { columnMs, grain } = columnsFor(range, this.#oldest());
    const from = floorTo(range.from, columnMs);
    const to = ceilTo(range.to, columnMs);
    const rows = await this.#deps.rollUps.read({ ...scopeOf(query), grain, from, to });
    return { from, to, columnMs, cells: heatCells(rows, columnMs) };
  }

  async by(
    kind: Exclude<MetricKind, 'overall'>,
    query: MetricRange & { readonly limit?: number } = {},
  ): Promise<readonly MetricLine[]> {
    const range = this.#range(query);
    await this.#deps.count();
    const sums = await this.#sums({ kind }, range);
    return [...sums]
      .map(([name, counts]) => ({ name, ...figuresOf(counts, lengthOf(range)) }))
      .sort((one, other) => other.calls - one.calls || one.name.localeCompare(other.name))
      .slice(0, query.limit ?? DEFAULT_LINES);
  }

  /** The range in whole minutes; the running minute is part of it. */
  #range({ from, to }: MetricRange): Range {
    const end = ceilTo(withinTime(to ?? this.#deps.now() + 1), MINUTE);
    return { from: floorTo(withinTime(from ?? end - HOUR_MS), MINUTE), to: end };
  }

  #oldest(): OldestPeriods {
    const { now, keep } = this.#deps;
    const at = now();
    return { [MINUTE]: at - keep[MINUTE], [HOUR]: at - keep[HOUR], [DAY]: at - keep[DAY] };
  }

  #stepFor({ from, to }: Range): MetricGrain {
    const oldest = this.#oldest();
    const fits = (grain: MetricGrain): boolean =>
      (to - from) / grain <= MAX_POINTS && from >= oldest[grain];
    return METRIC_GRAINS.find(fits) ?? DAY;
  }

  async #total(scope: Scope, range: Range): Promise<CallCounts> {
    return (await this.#sums(scope, range)).get(scope.name) ?? NO_COUNTS;
  }

  /** The sums of a range, by name. */
  async #sums(
    scope: { readonly kind: MetricKind; readonly name?: string },
    range: Range,
  ): Promise<ReadonlyMap<string, CallCounts>> {
    const sums = new Map<string, CallCounts>();
    for (const span of coverRange(range, this.#oldest())) {
      for (const { name, counts } of await this.#deps.rollUps.read({ ...scope, ...span })) {
        const before = sums.get(name);
        sums.set(name, before ? addCounts(before, counts) : counts);
      }
    }
    return sums;
  }
}
