/** The three charts of the page: spending, calls with their failures, and latency. */
import { useMemo } from 'react';
import { type Span, stepName, trimSpan } from '../../charts/period.ts';
import { duration } from '../../components/format.ts';
import { type CallStep, CallsChart, CostChart, LatencyChart } from '../../figures/call-charts.tsx';
import { fillBuckets, totalsOf } from './fill-buckets.ts';
import type { UsageBucket } from './usage-records.ts';

const slowestOf = (steps: readonly CallStep[]): CallStep | undefined =>
  steps.reduce<CallStep | undefined>(
    (top, step) => (top && (top.p95Ms ?? 0) >= (step.p95Ms ?? 0) ? top : step),
    undefined,
  );

interface ChartsProps {
  readonly buckets: readonly UsageBucket[];
  readonly span: Span;
  readonly tool: string;
}

export const CostCharts = ({ buckets, span, tool }: ChartsProps) => {
  const steps = useMemo(
    () => fillBuckets(buckets, trimSpan(span, buckets[0]?.at)),
    [buckets, span],
  );
  const { calls, failures, costUsd } = totalsOf(buckets);
  const slow = slowestOf(steps);
  const { bucket } = span;
  const shared = { steps, bucket, tool };
  const latency = slow?.p95Ms
    ? `p95 at most ${duration(slow.p95Ms)}, ${stepName(slow.at, bucket)}`
    : '';
  return (
    <div className="charts">
      <CostChart {...shared} costUsd={costUsd} />
      <CallsChart {...shared} calls={calls} failed={failures} />
      <LatencyChart {...shared} summary={latency} />
    </div>
  );
};
