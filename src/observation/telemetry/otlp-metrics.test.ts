import { DataPointType, type Histogram as SdkHistogram } from '@opentelemetry/sdk-metrics';
import { describe, expect, it } from 'vitest';
import { BOUNDS_S } from '../../kit/metrics/duration-bounds.ts';
import { DurationHistogram } from '../duration-histogram.ts';
import type { MetricFamily } from '../metric-families.ts';
import { createMetricProducer } from './otlp-metrics.ts';

type Histogram = Pick<SdkHistogram, 'buckets' | 'count' | 'sum'>;

const about = { help: 'Something.', unit: '{call}' };

const collected = async (...families: readonly MetricFamily[]) => {
  const clock = { now: 5_500 };
  const producer = createMetricProducer(() => families, { version: '1.2.3', now: () => clock.now });
  clock.now = 7_250;
  const { resourceMetrics } = await producer.collect();
  const [scope] = resourceMetrics.scopeMetrics;
  return scope;
};

describe('createMetricProducer', () => {
  it('hands counters and gauges on with their labels, and the time since the producer was made', async () => {
    const scope = await collected(
      { ...about, name: 'toolcrib.calls', type: 'counter', lines: () => [{ value: 3 }] },
      {
        ...about,
        name: 'toolcrib.running.calls',
        type: 'gauge',
        lines: async () => [{ labels: { tool: 'echo' }, value: 1 }],
      },
    );
    expect(scope?.scope).toEqual({ name: 'toolcrib', version: '1.2.3' });
    expect(scope?.metrics[0]).toMatchObject({
      descriptor: { name: 'toolcrib.calls', description: 'Something.', unit: '{call}' },
      dataPointType: DataPointType.SUM,
      isMonotonic: true,
      dataPoints: [
        { attributes: {}, value: 3, startTime: [5, 500_000_000], endTime: [7, 250_000_000] },
      ],
    });
    expect(scope?.metrics[1]).toMatchObject({
      dataPointType: DataPointType.GAUGE,
      dataPoints: [{ attributes: { tool: 'echo' }, value: 1 }],
    });
  });

  it('turns durations into counts of single buckets that add up to all calls', async () => {
    const durations = new DurationHistogram();
    for (const ms of [1, 1, 20, 500, 3_600_000]) durations.note(ms);
    const counts = { durations, exemplars: new Map() };
    const scope = await collected({
      ...about,
      name: 'toolcrib.call.duration',
      unit: 's',
      type: 'histogram',
      lines: () => [{ labels: { tool: 'echo' }, counts }],
    });
    const [metric] = scope?.metrics ?? [];
    expect(metric?.dataPointType).toBe(DataPointType.HISTOGRAM);
    const value = metric?.dataPoints[0]?.value as Histogram | undefined;
    if (!value) throw new Error('no histogram was collected');
    const { buckets, count, sum } = value;
    expect(buckets.boundaries).toEqual([...BOUNDS_S]);
    expect(buckets.counts).toHaveLength(BOUNDS_S.length + 1);
    expect(buckets.counts.reduce((total, each) => total + each, 0)).toBe(count);
    expect(buckets.counts.at(-1)).toBe(1);
    expect([count, sum]).toEqual([5, 3600.522]);
  });

  it('leaves out metrics that have no line', async () => {
    const scope = await collected({ ...about, name: 'none', type: 'gauge', lines: () => [] });
    expect(scope?.metrics).toEqual([]);
  });
});
