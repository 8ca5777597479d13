/** `crib.metrics`: counts and times of calls, and the counting itself. */
import type { Events } from '../../contract/events.ts';
import type { CribMetrics, MetricGrain } from '../../contract/metrics.ts';
import {
  atLeastOne,
  fields,
  moment,
  oneOf,
  optional,
  text,
} from '../../kit/data/check-arguments.ts';
import { type CountedStore, keepCounting } from '../../observation/roll-up/keep-counting.ts';
import type { MetricsReader } from '../../observation/roll-up/read-metrics.ts';
import { watchCalls } from '../../observation/watch-calls.ts';
import type { MethodChecks } from './checked.ts';
import type { MemberDeps, Opened } from './member-deps.ts';

const metricRange = { from: optional(moment), to: optional(moment) };
const metricScope = { tool: optional(text), source: optional(text), caller: optional(text) };

export const METRIC_CHECKS: MethodChecks<CribMetrics> = {
  summary: { query: optional(fields({ ...metricRange, ...metricScope })) },
  history: {
    query: optional(
      fields({ ...metricRange, ...metricScope, step: optional(oneOf('minute', 'hour', 'day')) }),
    ),
  },
  heat: { query: optional(fields({ ...metricRange, ...metricScope })) },
  by: {
    kind: oneOf('tool', 'source', 'caller'),
    query: optional(fields({ ...metricRange, limit: optional(atLeastOne) })),
  },
  watch: { tool: optional(text) },
};

export interface MetricsDeps extends MemberDeps {
  /** How long the periods of each grain are kept, in milliseconds. */
  readonly keepMetrics: Readonly<Record<MetricGrain, number>>;
  readonly events: Events;
}

/** What reads and counts the calls of one open store. */
interface Counted extends CountedStore {
  readonly reader: MetricsReader;
}

const countedOf = async (
  { store }: Opened,
  { runtime, keepMetrics: keep }: MetricsDeps,
): Promise<Counted> => {
  const [{ MetricsReader }, { TrailCounter }] = await Promise.all([
    import('../../observation/roll-up/read-metrics.ts'),
    import('../../observation/roll-up/trail-counter.ts'),
  ]);
  const counter = new TrailCounter(store);
  // A read-only store answers with what was counted before.
  const count = (): Promise<void> => (store.isReadOnly ? Promise.resolve() : counter.count());
  const reader = new MetricsReader({ rollUps: store.rollUps, count, now: runtime.now, keep });
  return { store, counter, reader };
};

export interface MetricMembers {
  readonly members: CribMetrics;
  /** Counts calls every few seconds from now on; returns a function that stops it. */
  keepCounting(): () => Promise<void>;
}

export const metricsOf = (deps: MetricsDeps): MetricMembers => {
  let current: { readonly opened: Opened; readonly counted: Promise<Counted> } | undefined;
  const open = async (): Promise<Counted> => {
    const opened = await deps.open();
    // The crib opens a store again that was read-only.
    if (current?.opened !== opened) current = { opened, counted: countedOf(opened, deps) };
    return current.counted;
  };
  const reader = async (): Promise<MetricsReader> => (await open()).reader;
  const members: CribMetrics = {
    summary: async (query) => (await reader()).summary(query),
    history: async (query) => (await reader()).history(query),
    heat: async (query) => (await reader()).heat(query),
    by: async (kind, query) => (await reader()).by(kind, query),
    watch: (tool) => watchCalls(deps, tool),
  };
  const { runtime, keepMetrics: keep } = deps;
  return { members, keepCounting: () => keepCounting({ open, runtime, keep }) };
};
