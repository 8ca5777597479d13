/** The three charts of the page: spending, latency, and calls with their failures. */
import { useMemo } from 'react';
import { ChartPanel, type Measure } from '../../charts/chart-panel.tsx';
import { BUCKET_MS, type Span, stepName, trimSpan } from '../../charts/period.ts';
import { count, duration, money } from '../../components/format.ts';
import { callsHref } from '../../figures/call-links.ts';
import { fillBuckets, type Step, totalsOf } from './fill-buckets.ts';
import type { UsageBucket } from './usage-records.ts';

const SPEND: readonly Measure<Step>[] = [
  { id: 'cost', title: 'Spent', shape: 'bars', of: ({ costUsd }) => costUsd },
];

const LATENCY: readonly Measure<Step>[] = [
  { id: 'p50', title: 'p50', shape: 'line', of: ({ p50Ms }) => p50Ms },
  { id: 'p95', title: 'p95', shape: 'line', of: ({ p95Ms }) => p95Ms },
];

/** The failures are drawn over the calls that they are part of. */
const CALLS: readonly Measure<Step>[] = [
  { id: 'calls', title: 'Calls', shape: 'bars', of: ({ calls }) => calls },
  { id: 'failures', title: 'Failed', shape: 'bars', of: ({ failures }) => failures },
];

const callsText = (calls: number): string => (calls === 1 ? '1 call' : `${count(calls)} calls`);

const peakOf = (steps: readonly Step[], of: Measure<Step>['of']): Step | undefined =>
  steps.reduce<Step | undefined>(
    (top, step) => (top && (of(top) ?? 0) >= (of(step) ?? 0) ? top : step),
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
  const totals = totalsOf(buckets);
  const slow = peakOf(steps, ({ p95Ms }) => p95Ms);
  const { bucket } = span;
  const hrefOf = ({ at }: Step): string =>
    callsHref({ tool, from: at, to: at + BUCKET_MS[bucket] });
  const shared = { steps, bucket, hrefOf };
  return (
    <div className="charts">
      <ChartPanel
        {...shared}
        title={`Spend per ${bucket}`}
        summary={totals.costUsd === 0 ? 'Nothing had a price.' : `${money(totals.costUsd)} in all`}
        isEmpty={totals.costUsd === 0}
        measures={SPEND}
        show={money}
      />
      <ChartPanel
        {...shared}
        title={`Calls per ${bucket}`}
        summary={`${callsText(totals.calls)}, ${count(totals.failures)} failed`}
        measures={CALLS}
        show={count}
        isWhole
      />
      <ChartPanel
        {...shared}
        title="Latency"
        summary={
          slow?.p95Ms ? `p95 at most ${duration(slow.p95Ms)}, ${stepName(slow.at, bucket)}` : ''
        }
        measures={LATENCY}
        show={duration}
      />
    </div>
  );
};
