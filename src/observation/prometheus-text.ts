/**
 * Writes the metrics of a running server in the text formats of Prometheus. They are computed when they
 * are requested, not when a call is counted.
 */
import type { Metric, Registry, RegistryContentType } from 'prom-client';
import { BOUNDS_S } from '../kit/metrics/duration-bounds.ts';
import {
  type DurationLine,
  type MetricFamily,
  type MetricLine,
  type MetricSources,
  metricFamilies,
} from './metric-families.ts';

export interface PrometheusText {
  readonly contentType: string;
  text(): Promise<string>;
}

/** An example call of a bucket. */
interface ExemplarText {
  readonly labelSet: { readonly trace_id: string };
  readonly value: number;
  /** Seconds since the epoch. */
  readonly timestamp: number;
}

interface TextLine extends MetricLine {
  readonly metricName?: string;
  readonly exemplar?: ExemplarText;
}

/** The words for UCUM units in names, as in the specification. */
const UNIT_WORDS: ReadonlyMap<string, string> = new Map([
  ['s', 'seconds'],
  ['By', 'bytes'],
]);

/** Names a metric as the specification of OpenTelemetry translates names for Prometheus. */
const prometheusName = ({ name, unit, type }: MetricFamily): string => {
  const plain = name.replaceAll('.', '_');
  const word = UNIT_WORDS.get(unit);
  const withUnit = word === undefined ? plain : `${plain}_${word}`;
  return type === 'counter' ? `${withUnit}_total` : withUnit;
};

const durationLines = (
  name: string,
  { labels, counts: { durations, exemplars } }: DurationLine,
): readonly TextLine[] => [
  ...[...BOUNDS_S, Number.POSITIVE_INFINITY].map((bound, at): TextLine => {
    const example = exemplars.get(at);
    return {
      metricName: `${name}_bucket`,
      labels: { ...labels, le: Number.isFinite(bound) ? String(bound) : '+Inf' },
      value: Number.isFinite(bound) ? durations.atMost(bound * 1000) : durations.count,
      ...(example && {
        exemplar: {
          labelSet: { trace_id: example.traceId },
          value: example.durationMs / 1000,
          timestamp: example.at / 1000,
        },
      }),
    };
  }),
  { metricName: `${name}_sum`, labels, value: durations.totalMs / 1000 },
  { metricName: `${name}_count`, labels, value: durations.count },
];

const textLines = async (family: MetricFamily): Promise<readonly TextLine[]> => {
  if (family.type !== 'histogram') return family.lines();
  const name = prometheusName(family);
  return (await family.lines()).flatMap((line) => durationLines(name, line));
};

/** Wraps a family as a metric of the library, which only asks it for values. */
const asMetric = (family: MetricFamily, format: PrometheusFormat): Metric => {
  const { help, type } = family;
  const full = prometheusName(family);
  // The library adds this end itself in the newer format.
  const name = format === 'openmetrics' ? full.replace(/_total$/, '') : full;
  const get = async () => ({ name, help, type, values: await textLines(family) });
  return { name, help, type, get } as unknown as Metric;
};

/** The lag of the event loop before its first sample: NaN, or the largest number of nanoseconds. */
const EMPTY_LAG = /^toolcrib_nodejs_eventloop_lag_\w+ (?:NaN|Nan|9223372036\.\d+)\n/gm;

/** Leaves out what was not measured yet, so that no scrape stores such a figure. */
const withoutEmptyLag = (text: string): string => text.replaceAll(EMPTY_LAG, '');

/** The older text format, and OpenMetrics, which has exemplars. */
export type PrometheusFormat = 'plain' | 'openmetrics';

/** Chooses the format that a scraper accepts. */
export const prometheusFormat = (accept: string | null): PrometheusFormat =>
  accept?.includes('application/openmetrics-text') === true ? 'openmetrics' : 'plain';

/** Loads the library, so it is called with the first request for figures. */
export const createPrometheusText = async (
  sources: MetricSources,
  format: PrometheusFormat = 'plain',
): Promise<PrometheusText> => {
  const { Registry: NewRegistry, collectDefaultMetrics } = (await import('prom-client')).default;
  const register: Registry<RegistryContentType> = new NewRegistry();
  collectDefaultMetrics({ register, prefix: 'toolcrib_' });
  for (const family of metricFamilies(sources)) {
    register.registerMetric(asMetric(family, format));
  }
  if (format === 'openmetrics') register.setContentType(NewRegistry.OPENMETRICS_CONTENT_TYPE);
  const text = async () => withoutEmptyLag(await register.metrics());
  return { contentType: register.contentType, text };
};
