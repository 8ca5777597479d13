/** How calls, their failures, their durations and their costs went over time. */
import { useMemo } from 'react';
import { failedOf, type MetricHistory, type MetricPoint } from '../api/metric-records.ts';
import { ChartPanel, type ChartStep, type Measure } from '../charts/chart-panel.tsx';
import { BUCKET_MS, type Span, trimSpan } from '../charts/period.ts';
import { count, duration, money } from '../components/format.ts';
import { callsHref } from './call-links.ts';

interface Step extends ChartStep {
  readonly failed: number;
  readonly costUsd: number;
  /** `null` where nothing ran: no call is not a fast call. */
  readonly medianMs: number | null;
  readonly p95Ms: number | null;
}

const CALLS: readonly Measure<Step>[] = [
  { id: 'calls', title: 'Calls', shape: 'bars', of: ({ calls }) => calls },
  { id: 'failures', title: 'Failed', shape: 'bars', of: ({ failed }) => failed },
];

const LATENCY: readonly Measure<Step>[] = [
  { id: 'p50', title: 'Median', shape: 'line', of: ({ medianMs }) => medianMs },
  { id: 'p95', title: 'p95', shape: 'line', of: ({ p95Ms }) => p95Ms },
];

const COST: readonly Measure<Step>[] = [
  { id: 'cost', title: 'Cost', shape: 'bars', of: ({ costUsd }) => costUsd },
];

const stepOf = (at: number, point: MetricPoint | undefined): Step => ({
  at,
  calls: point?.calls ?? 0,
  failed: point ? failedOf(point) : 0,
  costUsd: point?.costUsd ?? 0,
  medianMs: point && point.maxExecutionTime > 0 ? point.medianExecutionTime : null,
  p95Ms: point && point.maxExecutionTime > 0 ? point.p95ExecutionTime : null,
});

/** Every step of the span, those without a call too: a chart without them would lie about time. */
export const stepsOf = (points: readonly MetricPoint[], span: Span): readonly Step[] => {
  const { from, to, bucket } = trimSpan(span, points[0]?.start);
  const byStart = new Map(points.map((point) => [point.start, point]));
  const steps: Step[] = [];
  for (let at = from; at < to; at += BUCKET_MS[bucket]) steps.push(stepOf(at, byStart.get(at)));
  return steps;
};

interface TrendProps {
  readonly history: MetricHistory;
  readonly span: Span;
  readonly tool: string;
}

export const TrendCharts = ({ history, span, tool }: TrendProps) => {
  const { points, total } = history;
  const steps = useMemo(() => stepsOf(points, span), [points, span]);
  const { bucket } = span;
  const hrefOf = ({ at }: Step): string =>
    callsHref({ tool, from: at, to: at + BUCKET_MS[bucket] });
  const shared = { steps, bucket, hrefOf };
  return (
    <div className="charts trends">
      <ChartPanel
        {...shared}
        title={`Calls by ${bucket}`}
        summary={`${count(total.calls)} in all, ${count(failedOf(total))} failed`}
        measures={CALLS}
        show={count}
        isWhole
      />
      <ChartPanel
        {...shared}
        title="Latency"
        summary={`Median ${duration(total.medianExecutionTime)}, p95 ${duration(total.p95ExecutionTime)}`}
        measures={LATENCY}
        show={duration}
      />
      <ChartPanel
        {...shared}
        title={`Cost by ${bucket}`}
        summary={total.costUsd === 0 ? 'Nothing had a price.' : `${money(total.costUsd)} in all`}
        isEmpty={total.costUsd === 0}
        measures={COST}
        show={money}
      />
    </div>
  );
};
