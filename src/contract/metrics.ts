/** Counts and times of calls over any range of time, and the port to their storage. */
import type { ErrorCode } from './errors.ts';
import type { ToolStatus } from './result.ts';

/** Calls are counted in all, and by tool, by source (a server, an API, a kind) and by user. */
export const METRIC_KINDS = ['overall', 'tool', 'source', 'caller'] as const;
export type MetricKind = (typeof METRIC_KINDS)[number];

/** The length of a period in milliseconds: a minute, an hour or a day (UTC). */
export const METRIC_GRAINS = [60_000, 3_600_000, 86_400_000] as const;
export type MetricGrain = (typeof METRIC_GRAINS)[number];

/** Calls of names that no tool has are counted under this one: a caller could make up any number. */
export const UNKNOWN_TOOL = '(unknown)';

/** `unknown` for a call that a crash left in doubt. */
export type CountedStatus = ToolStatus | 'unknown';

/** What is counted of the calls of one series that ended in one period. The counts of two periods can be added. */
export interface CallCounts {
  readonly byStatus: Readonly<Partial<Record<CountedStatus, number>>>;
  readonly byCode: Readonly<Partial<Record<ErrorCode, number>>>;
  /** Attempts after the first one of a call. */
  readonly retries: number;
  readonly cacheHits: number;
  readonly costMicros: number;
  readonly tokens: number;
  /** The sum of their durations: divided by a length of time, how many ran at once on average. */
  readonly totalMs: number;
  readonly maxMs: number;
  /** Processor time of sandboxed runs, where the sandbox measures it. */
  readonly cpuMs: number;
  /** The most memory that one sandboxed run took. */
  readonly peakMemoryBytes: number;
  /** Buckets of durations and how many calls fell into each: bucket, calls, bucket, calls … ascending. */
  readonly durations: readonly number[];
}

/** The counts of one series in one period. */
export interface RollUp {
  readonly kind: MetricKind;
  /** The tool, source or user; empty for `overall`. */
  readonly name: string;
  readonly grain: MetricGrain;
  /** Milliseconds since the epoch, a multiple of the grain. */
  readonly start: number;
  readonly counts: CallCounts;
}

export interface RollUpQuery {
  readonly kind: MetricKind;
  /** All names of the kind when absent. */
  readonly name?: string;
  readonly grain: MetricGrain;
  /** `from` inclusive, `to` exclusive; both multiples of the grain. */
  readonly from: number;
  readonly to: number;
}

/** Rows of the audit trail that were counted together. */
export interface CountedRows {
  /** The last row that was counted before these; 0 for none. */
  readonly after: number;
  /** The last row of these. */
  readonly last: number;
  readonly rollUps: readonly RollUp[];
}

/** The port to the counts. They are made from the audit trail, and stay when it is pruned. */
export interface RollUps {
  /** Reads the number of the last row of the trail that is counted; 0 for none. */
  counted(): Promise<number>;
  /**
   * Adds counts and moves the mark, in one step. False, and nothing is added, when the mark is not at
   * `after` any more: another process has counted these rows.
   */
  add(rows: CountedRows): Promise<boolean>;
  /** Reads the counts that a query names, oldest first. */
  read(query: RollUpQuery): Promise<readonly RollUp[]>;
  /** Forgets the periods of a grain that began before that moment; says how many. */
  expire(grain: MetricGrain, before: number): Promise<number>;
}

/** How calls went. Times are in milliseconds; percentiles are off by 1.1 % at most. */
export interface CallFigures {
  readonly calls: number;
  /** Calls that succeeded, of those that ran: refused and waiting ones do not count. From 0 to 1. */
  readonly successRate: number;
  /** Calls that failed or took too long, of those that ran. From 0 to 1. */
  readonly errorRate: number;
  readonly byStatus: Readonly<Partial<Record<CountedStatus, number>>>;
  readonly byCode: Readonly<Partial<Record<ErrorCode, number>>>;
  /** Calls a second over the whole range. */
  readonly throughput: number;
  /** How many ran at once on average. */
  readonly concurrency: number;
  readonly averageExecutionTime: number;
  readonly medianExecutionTime: number;
  readonly p95ExecutionTime: number;
  readonly p99ExecutionTime: number;
  readonly maxExecutionTime: number;
  /** How often tools were started: retries count, refused calls and cached results do not. */
  readonly attempts: number;
  readonly cacheHits: number;
  readonly costUsd: number;
  readonly tokens: number;
  /** Of sandboxed runs whose sandbox measures it. */
  readonly resourceUtilization: { readonly cpuMs: number; readonly peakMemoryBytes: number };
}

export interface MetricRange {
  /** Milliseconds since the epoch, rounded down to a minute; an hour ago when absent. */
  readonly from?: number;
  /** Milliseconds since the epoch, rounded up to a minute; now when absent. */
  readonly to?: number;
}

/** Which calls: all of them, or those of one tool, source or user. */
export interface MetricScope {
  readonly tool?: string;
  readonly source?: string;
  readonly caller?: string;
}

export interface MetricHistoryQuery extends MetricRange, MetricScope {
  /** The length of a point. The shortest that gives at most 400 points when absent. */
  readonly step?: 'minute' | 'hour' | 'day';
}

export interface MetricPoint extends CallFigures {
  /** Milliseconds since the epoch. */
  readonly start: number;
}

export interface MetricHistory {
  readonly from: number;
  readonly to: number;
  readonly stepMs: MetricGrain;
  /** One for each step in which there were calls, oldest first. */
  readonly points: readonly MetricPoint[];
  readonly total: CallFigures;
}

/** Calls of one column of a heat map whose durations lie between two limits, one twice the other. */
export interface MetricHeatCell {
  /** Milliseconds since the epoch. */
  readonly start: number;
  /** They took longer than this. Absent for the shortest durations. */
  readonly overMs?: number;
  /** They took at most this. Absent for the longest durations. */
  readonly upToMs?: number;
  readonly calls: number;
}

/** How many calls took how long, over time. Only calls that ran are in it. */
export interface MetricHeat {
  /** Whole columns. */
  readonly from: number;
  readonly to: number;
  readonly columnMs: number;
  /** Those with calls, by time and then by duration. */
  readonly cells: readonly MetricHeatCell[];
}

export interface MetricLine extends CallFigures {
  readonly name: string;
}

/** Counts the calls that end in this process while it is open, to the millisecond. */
export interface MetricWatch {
  readonly id: string;
  /** The tool that is watched; absent for all of them. */
  readonly tool?: string;
  /** When it began, in milliseconds since the epoch. */
  readonly since: number;
  /**
   * Returns what has been counted so far.
   *
   * @example
   * const watch = crib.metrics.watch('web_search');
   * console.log(watch.figures().calls);
   */
  figures(): CallFigures;
  /**
   * Ends it; returns what was counted until then, also when it is called again.
   *
   * @example
   * const watch = crib.metrics.watch();
   * console.log(watch.stop().costUsd);
   */
  stop(): CallFigures;
}

/** What was counted and timed of calls, by every process of the store, also before a restart. */
export interface CribMetrics {
  /**
   * Sums up the calls of a range; by default those of all tools in the last hour.
   *
   * @example
   * const { calls, errorRate, p95ExecutionTime } = await crib.metrics.summary({ tool: 'web_search' });
   */
  summary(query?: MetricRange & MetricScope): Promise<CallFigures>;
  /**
   * Shows how calls went over time.
   *
   * @example
   * const { points } = await crib.metrics.history({ from: Date.now() - 86_400_000, step: 'hour' });
   * for (const { start, calls } of points) console.log(new Date(start).toISOString(), calls);
   */
  history(query?: MetricHistoryQuery): Promise<MetricHistory>;
  /**
   * Counts calls by when they ended and how long they took, in at most 60 columns.
   *
   * @example
   * const { cells } = await crib.metrics.heat({ tool: 'web_search', from: Date.now() - 86_400_000 });
   * const slow = cells.filter(({ overMs = 0 }) => overMs > 1000);
   */
  heat(query?: MetricRange & MetricScope): Promise<MetricHeat>;
  /**
   * Compares the tools, sources or callers of a range, those with the most calls first.
   *
   * @example
   * for (const { name, calls, costUsd } of await crib.metrics.by('tool')) console.log(name, calls, costUsd);
   */
  by(
    kind: Exclude<MetricKind, 'overall'>,
    query?: MetricRange & { readonly limit?: number },
  ): Promise<readonly MetricLine[]>;
  /**
   * Watches the calls of one tool, or of all, in this process from now on, for measuring one piece of work.
   * Nothing is stored, and a watch that is not stopped counts until the crib is closed.
   *
   * @example
   * const watch = crib.metrics.watch('web_search');
   * await work();
   * const { calls, costUsd } = watch.stop();
   */
  watch(tool?: string): MetricWatch;
}
