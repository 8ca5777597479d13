/**
 * Writes the figures of a running server in the text format of Prometheus. They are computed when they
 * are requested, not when a call is counted.
 */
import type { Metric } from 'prom-client';
import type { ServerStatus } from '../contract/servers.ts';
import type { CallMetrics, ToolCounts } from './call-metrics.ts';

export interface PrometheusSources {
  readonly version: string;
  readonly calls: CallMetrics;
  servers(): readonly ServerStatus[];
  /** Questions that wait for a person; a failure leaves the line out. */
  waitingApprovals(): Promise<number>;
  /** Clients of the event stream. */
  watchers(): number;
}

export interface PrometheusText {
  readonly contentType: string;
  text(): Promise<string>;
}

interface Line {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
  readonly metricName?: string;
}

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  lines(): Promise<readonly Line[]> | readonly Line[];
}

const BOUNDS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const DURATION = 'toolcrib_call_duration_seconds';

const durationLines = (tool: string, { durations }: ToolCounts): readonly Line[] => [
  ...BOUNDS_S.map((bound) => ({
    metricName: `${DURATION}_bucket`,
    labels: { tool, le: String(bound) },
    value: durations.atMost(bound * 1000),
  })),
  { metricName: `${DURATION}_bucket`, labels: { tool, le: '+Inf' }, value: durations.count },
  { metricName: `${DURATION}_sum`, labels: { tool }, value: durations.totalMs / 1000 },
  { metricName: `${DURATION}_count`, labels: { tool }, value: durations.count },
];

type PerTool = (tool: string, counts: ToolCounts) => readonly Line[];

const callFamilies = (calls: CallMetrics): readonly Family[] => {
  const each = (of: PerTool) => (): readonly Line[] =>
    [...calls.tools].flatMap(([tool, counts]) => of(tool, counts));
  return [
    {
      name: 'toolcrib_calls_total',
      help: 'Calls that are over, by how they ended.',
      type: 'counter',
      lines: each((tool, { byStatus }) =>
        Array.from(byStatus, ([status, value]) => ({ labels: { tool, status }, value })),
      ),
    },
    {
      name: 'toolcrib_errors_total',
      help: 'Calls that did not succeed, by the code of the error.',
      type: 'counter',
      lines: each((tool, { byCode }) =>
        Array.from(byCode, ([code, value]) => ({ labels: { tool, code }, value })),
      ),
    },
    {
      name: DURATION,
      help: 'Seconds from the request to the result.',
      type: 'histogram',
      lines: each(durationLines),
    },
    {
      name: 'toolcrib_cost_usd_total',
      help: 'US dollars settled for calls.',
      type: 'counter',
      lines: each((tool, { costUsd }) => [{ labels: { tool }, value: costUsd }]),
    },
    {
      name: 'toolcrib_tokens_total',
      help: 'Tokens that calls used.',
      type: 'counter',
      lines: each((tool, { tokens }) => [{ labels: { tool }, value: tokens }]),
    },
    {
      name: 'toolcrib_running_calls',
      help: 'Calls under way.',
      type: 'gauge',
      lines: each((tool, { running }) => [{ labels: { tool }, value: running }]),
    },
    {
      name: 'toolcrib_circuit_open',
      help: 'Tools that are not called for now, because they kept failing.',
      type: 'gauge',
      lines: () => calls.openCircuits.map((tool) => ({ labels: { tool }, value: 1 })),
    },
  ];
};

const serverFamilies = (sources: PrometheusSources): readonly Family[] => [
  {
    name: 'toolcrib_approvals_waiting',
    help: 'Questions that wait for a person.',
    type: 'gauge',
    lines: () =>
      sources.waitingApprovals().then(
        (value) => [{ value }],
        () => [],
      ),
  },
  {
    name: 'toolcrib_server_up',
    help: 'MCP servers: 1 when ready, or when it starts as soon as something needs it.',
    type: 'gauge',
    lines: () =>
      sources.servers().map(({ name, state }) => ({
        labels: { server: name, state },
        value: state === 'ready' || state === 'idle' ? 1 : 0,
      })),
  },
  {
    name: 'toolcrib_event_clients',
    help: 'Clients of the event stream.',
    type: 'gauge',
    lines: () => [{ value: sources.watchers() }],
  },
  {
    name: 'toolcrib_build_info',
    help: 'The version that runs.',
    type: 'gauge',
    lines: () => [{ labels: { version: sources.version }, value: 1 }],
  },
];

/** The registry asks a metric for its values and for nothing else. */
const asMetric = ({ lines, ...facts }: Family): Metric =>
  ({ ...facts, get: async () => ({ ...facts, values: await lines() }) }) as unknown as Metric;

/** The lag of the event loop before its first sample: NaN, or the largest number of nanoseconds. */
const EMPTY_LAG = /^toolcrib_nodejs_eventloop_lag_\w+ (?:NaN|Nan|9223372036\.\d+)\n/gm;

/** Leaves out what was not measured yet, so that no scrape stores such a figure. */
const withoutEmptyLag = (text: string): string => text.replaceAll(EMPTY_LAG, '');

/** Loads the library, so it is called with the first request for figures. */
export const createPrometheusText = async (sources: PrometheusSources): Promise<PrometheusText> => {
  const { Registry, collectDefaultMetrics } = (await import('prom-client')).default;
  const register = new Registry();
  collectDefaultMetrics({ register, prefix: 'toolcrib_' });
  for (const family of [...callFamilies(sources.calls), ...serverFamilies(sources)]) {
    register.registerMetric(asMetric(family));
  }
  const text = async () => withoutEmptyLag(await register.metrics());
  return { contentType: register.contentType, text };
};
