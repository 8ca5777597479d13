/** How calls, their failures, their durations and their costs went over time. */
import { useMemo } from 'react';
import { failedOf, type MetricHistory, type MetricPoint } from '../api/metric-records.ts';
import { type Span, trimSpan } from '../charts/period.ts';
import { timed } from '../components/format.ts';
import { type CallStep, CallsChart, CostChart, everyStep, LatencyChart } from './call-charts.tsx';

const stepOf = (at: number, point: MetricPoint | undefined): CallStep => ({
  at,
  calls: point?.calls ?? 0,
  failed: point ? failedOf(point) : 0,
  costUsd: point?.costUsd ?? 0,
  medianMs: point && point.maxExecutionTime > 0 ? point.medianExecutionTime : null,
  p95Ms: point && point.maxExecutionTime > 0 ? point.p95ExecutionTime : null,
});

const stepsOf = (points: readonly MetricPoint[], span: Span): readonly CallStep[] => {
  const byStart = new Map(points.map((point) => [point.start, point]));
  return everyStep(trimSpan(span, points[0]?.start), byStart, stepOf);
};

interface TrendProps {
  readonly history: MetricHistory;
  readonly span: Span;
  readonly tool: string;
}

export const TrendCharts = ({ history, span, tool }: TrendProps) => {
  const { points, total } = history;
  const steps = useMemo(() => stepsOf(points, span), [points, span]);
  const shared = { steps, bucket: span.bucket, tool };
  const latency = `Median ${timed(total.medianExecutionTime)}, p95 ${timed(total.p95ExecutionTime)}`;
  return (
    <div className="charts trends">
      <CallsChart {...shared} calls={total.calls} failed={failedOf(total)} />
      <LatencyChart {...shared} summary={latency} />
      <CostChart {...shared} costUsd={total.costUsd} />
    </div>
  );
};
