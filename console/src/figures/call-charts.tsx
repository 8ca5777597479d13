/** The charts of calls over time, for the pages that draw them from their own figures. */
import { ChartPanel, type ChartStep, type Measure } from '../charts/chart-panel.tsx';
import { BUCKET_MS, type Span } from '../charts/period.ts';
import { count, duration, money } from '../components/format.ts';
import { callsHref } from './call-links.ts';

export interface CallStep extends ChartStep {
  readonly failed: number;
  readonly costUsd: number;
  /** `null` where nothing ran: no call is not a fast call. */
  readonly medianMs: number | null;
  readonly p95Ms: number | null;
}

/** The failures are drawn over the calls that they are part of. */
const CALLS: readonly Measure<CallStep>[] = [
  { id: 'calls', title: 'Calls', shape: 'bars', of: ({ calls }) => calls },
  { id: 'failures', title: 'Failed', shape: 'bars', of: ({ failed }) => failed },
];

const LATENCY: readonly Measure<CallStep>[] = [
  { id: 'p50', title: 'Median', shape: 'line', of: ({ medianMs }) => medianMs },
  { id: 'p95', title: 'p95', shape: 'line', of: ({ p95Ms }) => p95Ms },
];

const COST: readonly Measure<CallStep>[] = [
  { id: 'cost', title: 'Cost', shape: 'bars', of: ({ costUsd }) => costUsd },
];

/** Makes every step of the span, those without a call too: a chart without them would distort time. */
export const everyStep = <T, Step>(
  { from, to, bucket }: Span,
  figures: ReadonlyMap<number, T>,
  stepOf: (at: number, figures: T | undefined) => Step,
): readonly Step[] => {
  const steps: Step[] = [];
  for (let at = from; at < to; at += BUCKET_MS[bucket]) steps.push(stepOf(at, figures.get(at)));
  return steps;
};

interface ChartProps {
  readonly steps: readonly CallStep[];
  readonly bucket: Span['bucket'];
  /** Empty for all tools. */
  readonly tool: string;
}

const sharedOf = ({ steps, bucket, tool }: ChartProps) => ({
  steps,
  bucket,
  hrefOf: ({ at }: CallStep): string => callsHref({ tool, from: at, to: at + BUCKET_MS[bucket] }),
});

export const CallsChart = (props: ChartProps & { readonly calls: number; failed: number }) => (
  <ChartPanel
    {...sharedOf(props)}
    title={`Calls by ${props.bucket}`}
    summary={`${count(props.calls)} in all, ${count(props.failed)} failed`}
    measures={CALLS}
    show={count}
    isWhole
  />
);

export const LatencyChart = (props: ChartProps & { readonly summary: string }) => (
  <ChartPanel
    {...sharedOf(props)}
    title="Latency"
    summary={props.summary}
    measures={LATENCY}
    show={duration}
  />
);

export const CostChart = (props: ChartProps & { readonly costUsd: number }) => (
  <ChartPanel
    {...sharedOf(props)}
    title={`Cost by ${props.bucket}`}
    summary={props.costUsd === 0 ? 'Nothing had a price.' : `${money(props.costUsd)} in all`}
    isEmpty={props.costUsd === 0}
    measures={COST}
    show={money}
  />
);
