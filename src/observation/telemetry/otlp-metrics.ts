/** Passes the metrics of a program to OpenTelemetry's SDK at each export, from the same counts as `/metrics`. */
import { type HrTime, ValueType } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import { BOUNDS_S } from '../../kit/metrics/duration-bounds.ts';
import type { DurationLine, MetricFamily } from '../metric-families.ts';

interface Period {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

const hrTime = (ms: number): HrTime => [Math.floor(ms / 1000), (ms % 1000) * 1_000_000];

/** Converts cumulative counts ("at most this long") to the counts of each bucket, which the protocol has. */
const bucketsOf = ({ counts: { durations } }: DurationLine) => {
  const atMost = [...BOUNDS_S.map((bound) => durations.atMost(bound * 1000)), durations.count];
  const counts = atMost.map((count, at) => count - (atMost[at - 1] ?? 0));
  return {
    buckets: { boundaries: [...BOUNDS_S], counts },
    count: durations.count,
    sum: durations.totalMs / 1000,
  };
};

const metricOf = async (family: MetricFamily, period: Period): Promise<MetricData> => {
  const { name, help: description, unit, type } = family;
  const facts = {
    descriptor: { name, description, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (type === 'histogram') {
    const dataPoints = (await family.lines()).map((line) => ({
      ...period,
      attributes: line.labels,
      value: bucketsOf(line),
    }));
    return { ...facts, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = (await family.lines()).map(({ labels = {}, value }) => ({
    ...period,
    attributes: labels,
    value,
  }));
  return type === 'counter'
    ? { ...facts, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...facts, dataPointType: DataPointType.GAUGE, dataPoints };
};

export interface ProducerOptions {
  readonly version: string;
  now(): number;
}

/** Makes the producer; it calls `families` at each export. */
export const createMetricProducer = (
  families: () => readonly MetricFamily[],
  { version, now }: ProducerOptions,
): MetricProducer => {
  const startTime = hrTime(now());
  return {
    collect: async () => {
      const period = { startTime, endTime: hrTime(now()) };
      const all = await Promise.all(families().map((family) => metricOf(family, period)));
      const metrics = all.filter(({ dataPoints }) => dataPoints.length > 0);
      const scopeMetrics = [{ scope: { name: 'toolcrib', version }, metrics }];
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
    },
  };
};
