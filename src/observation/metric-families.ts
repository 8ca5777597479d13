/**
 * The metrics of a running program, computed on request. `/metrics` and OTLP both export this list, so
 * that their names agree: `toolcrib.call.duration` in seconds is `toolcrib_call_duration_seconds` there.
 */
import type { CircuitStatus, HealthStatus } from '../contract/health.ts';
import type { ServerStatus } from '../contract/servers.ts';
import type { CallMetrics, ToolCounts } from './call-metrics.ts';
import { healthGauges } from './health/health-gauges.ts';

export interface MetricSources {
  readonly version: string;
  readonly calls: CallMetrics;
  /** Lists the circuits that are not closed; for a server, one for each of its tools. */
  circuits(): readonly CircuitStatus[];
  servers(): readonly ServerStatus[];
  /** Counts the waiting approvals; a rejection leaves the line out. */
  waitingApprovals(): Promise<number>;
  /** Reads the last results of checks; a rejection leaves the lines out. */
  health(): Promise<HealthStatus | undefined>;
  /** Counts the clients of the event stream; absent for a program without one. */
  watchers?(): number;
}

export type MetricLabels = Readonly<Record<string, string>>;

export interface MetricLine {
  readonly labels?: MetricLabels;
  readonly value: number;
}

/** Durations of the calls of one tool. */
export interface DurationLine {
  readonly labels: MetricLabels;
  readonly counts: Pick<ToolCounts, 'durations' | 'exemplars'>;
}

interface Facts {
  /** The name in OpenTelemetry's form. */
  readonly name: string;
  readonly help: string;
  /** The unit in UCUM; what is counted is in braces. */
  readonly unit: string;
}

type Lines<L> = Promise<readonly L[]> | readonly L[];

/** Metrics of one name. */
export type MetricFamily =
  | (Facts & { readonly type: 'counter' | 'gauge'; lines(): Lines<MetricLine> })
  | (Facts & { readonly type: 'histogram'; lines(): Lines<DurationLine> });

const MS_PER_SECOND = 1000;

/** Returns lines of each tool that was called. */
const linesBy =
  (calls: CallMetrics) =>
  <L>(of: (tool: string, counts: ToolCounts) => readonly L[]) =>
  (): readonly L[] =>
    [...calls.tools].flatMap(([tool, counts]) => of(tool, counts));

const callFamilies = (calls: CallMetrics): readonly MetricFamily[] => {
  const each = linesBy(calls);
  return [
    {
      name: 'toolcrib.calls',
      unit: '{call}',
      help: 'Calls that are over, by how they ended.',
      type: 'counter',
      lines: each((tool, { byStatus }) =>
        Array.from(byStatus, ([status, value]) => ({ labels: { tool, status }, value })),
      ),
    },
    {
      name: 'toolcrib.errors',
      unit: '{call}',
      help: 'Calls that did not succeed, by the code of the error.',
      type: 'counter',
      lines: each((tool, { byCode }) =>
        Array.from(byCode, ([code, value]) => ({ labels: { tool, code }, value })),
      ),
    },
    {
      name: 'toolcrib.call.duration',
      unit: 's',
      help: 'Seconds from the request to the result.',
      type: 'histogram',
      lines: each((tool, counts) => [{ labels: { tool }, counts }]),
    },
    {
      name: 'toolcrib.cost.usd',
      unit: '{USD}',
      help: 'US dollars settled for calls.',
      type: 'counter',
      lines: each((tool, { costUsd }) => [{ labels: { tool }, value: costUsd }]),
    },
    {
      name: 'toolcrib.tokens',
      unit: '{token}',
      help: 'Tokens that calls used.',
      type: 'counter',
      lines: each((tool, { tokens }) => [{ labels: { tool }, value: tokens }]),
    },
  ];
};

/** Returns the resource use of sandboxed runs; tools without a measured run have no line. */
const sandboxFamilies = (calls: CallMetrics): readonly MetricFamily[] => {
  const each = linesBy(calls);
  return [
    {
      name: 'toolcrib.sandbox.cpu.time',
      unit: 's',
      help: 'Processor time of sandboxed runs.',
      type: 'counter',
      lines: each((tool, { cpuMs }) =>
        cpuMs > 0 ? [{ labels: { tool }, value: cpuMs / MS_PER_SECOND }] : [],
      ),
    },
    {
      name: 'toolcrib.sandbox.memory.peak',
      unit: 'By',
      help: 'The most memory that the sandboxed runs of one call took.',
      type: 'gauge',
      lines: each((tool, { peakMemoryBytes }) =>
        peakMemoryBytes > 0 ? [{ labels: { tool }, value: peakMemoryBytes }] : [],
      ),
    },
  ];
};

const stateFamilies = ({ calls, circuits }: MetricSources): readonly MetricFamily[] => [
  {
    name: 'toolcrib.running.calls',
    unit: '{call}',
    help: 'Calls under way.',
    type: 'gauge',
    lines: () =>
      Array.from(calls.tools, ([tool, { running }]) => ({ labels: { tool }, value: running })),
  },
  {
    name: 'toolcrib.circuit.open',
    unit: '{tool}',
    help: 'Tools that are not called for now, because they kept failing.',
    type: 'gauge',
    lines: () => circuits().map(({ tool }) => ({ labels: { tool }, value: 1 })),
  },
];

const serverFamilies = (sources: MetricSources): readonly MetricFamily[] => [
  {
    name: 'toolcrib.approvals.waiting',
    unit: '{approval}',
    help: 'Questions that wait for a person.',
    type: 'gauge',
    lines: () =>
      sources.waitingApprovals().then(
        (value) => [{ value }],
        () => [],
      ),
  },
  {
    name: 'toolcrib.server.up',
    unit: '{server}',
    help: 'MCP servers: 1 when ready, or when it starts as soon as something needs it.',
    type: 'gauge',
    lines: () =>
      sources.servers().map(({ name, state }) => ({
        labels: { server: name, state },
        value: state === 'ready' || state === 'idle' ? 1 : 0,
      })),
  },
  {
    name: 'toolcrib.healthy',
    unit: '{subject}',
    help: 'Whether a part or tool worked when it was last checked: 1 or 0.',
    type: 'gauge',
    lines: () =>
      sources.health().then(
        (status) => (status ? healthGauges(status) : []),
        () => [],
      ),
  },
  {
    name: 'toolcrib.event.clients',
    unit: '{client}',
    help: 'Clients of the event stream.',
    type: 'gauge',
    lines: () => (sources.watchers ? [{ value: sources.watchers() }] : []),
  },
  {
    name: 'toolcrib.build.info',
    unit: '{build}',
    help: 'The version that runs.',
    type: 'gauge',
    lines: () => [{ labels: { version: sources.version }, value: 1 }],
  },
];

/** Returns all metrics of a program. */
export const metricFamilies = (sources: MetricSources): readonly MetricFamily[] => [
  ...callFamilies(sources.calls),
  ...sandboxFamilies(sources.calls),
  ...stateFamilies(sources),
  ...serverFamilies(sources),
];
