/** Reads figures of calls from the counts, after counting the new rows of the trail. */
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
  type RollUp,
  type RollUps,
} from '../../contract/metrics.ts';
import { HOUR_MS } from '../../kit/data/durations.ts';
import { addCounts } from '../../kit/metrics/add-counts.ts';
import { ceilTo, coverRange, floorTo, type OldestPeriods } from './cover-range.ts';
import { callsOf, figuresOf, NO_COUNTS } from './figures-of.ts';
import { columnsFor, heatCells } from './heat-of.ts';

export interface ReadMetricsDeps {
  readonly rollUps: Pick<RollUps, 'read'>;
  /** Counts the new rows of the trail. */
  count(): Promise<void>;
  now(): number;
  /** How long the periods of each grain are kept, in milliseconds. */
  readonly keep: Readonly<Record<MetricGrain, number>>;
}

const [MINUTE, HOUR, DAY] = METRIC_GRAINS;
const MAX_POINTS = 400;
/** The last moment that a `Date` can represent. */
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

/** Limits a time to what databases can store; no call ended before 1970. */
const withinTime = (at: number): number => Math.min(Math.max(at, 0), MAX_TIME);

const lengthOf = ({ from, to }: Range): number => Math.max(to - from, 1);

/** Adds counts up by name. */
const sumsOf = (rows: readonly RollUp[]): ReadonlyMap<string, CallCounts> => {
  const sums = new Map<string, CallCounts>();
  for (const { name, counts } of rows) {
    const before = sums.get(name);
    sums.set(name, before ? addCounts(before, counts) : counts);
  }
  return sums;
};

/** Finds the names with the most calls, those with the most first. */
const busiest = (rows: readonly RollUp[], limit: number): ReadonlySet<string> => {
  const calls = new Map<string, number>();
  for (const { name, counts } of rows) calls.set(name, (calls.get(name) ?? 0) + callsOf(counts));
  const names = [...calls].sort(
    ([one, ofOne], [other, ofOther]) => ofOther - ofOne || one.localeCompare(other),
  );
  return new Set(names.slice(0, limit).map(([name]) => name));
};

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
    const rows = await this.#rows({ kind }, range);
    // There may be tens of thousands of names: histograms are added up of those that are shown.
    const shown = busiest(rows, query.limit ?? DEFAULT_LINES);
    const sums = sumsOf(rows.filter(({ name }) => shown.has(name)));
    return [...shown].map((name) => ({
      name,
      ...figuresOf(sums.get(name) ?? NO_COUNTS, lengthOf(range)),
    }));
  }

  /** Rounds a range to whole minutes, the running minute included. */
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
    return sumsOf(await this.#rows(scope, range)).get(scope.name) ?? NO_COUNTS;
  }

  /** Reads the counts of a range, in as few and as long periods as cover it. */
  async #rows(
    scope: { readonly kind: MetricKind; readonly name?: string },
    range: Range,
  ): Promise<readonly RollUp[]> {
    const rows: (readonly RollUp[])[] = [];
    for (const span of coverRange(range, this.#oldest())) {
      rows.push(await this.#deps.rollUps.read({ ...scope, ...span }));
    }
    return rows.flat();
  }
}
