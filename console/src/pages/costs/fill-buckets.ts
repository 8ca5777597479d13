/** The steps of the charts of costs, and what all of them add up to. */
import type { Span } from '../../charts/period.ts';
import { type CallStep, everyStep } from '../../figures/call-charts.tsx';
import type { UsageBucket } from './usage-records.ts';

const stepOf = (at: number, bucket: UsageBucket | undefined): CallStep => ({
  at,
  calls: bucket?.calls ?? 0,
  failed: bucket?.failures ?? 0,
  costUsd: bucket?.costUsd ?? 0,
  medianMs: bucket?.p50Ms ?? null,
  p95Ms: bucket?.p95Ms ?? null,
});

export const fillBuckets = (buckets: readonly UsageBucket[], span: Span): readonly CallStep[] =>
  everyStep(span, new Map(buckets.map((each) => [each.at, each])), stepOf);

export interface Totals {
  readonly calls: number;
  readonly failures: number;
  readonly costUsd: number;
  readonly tokens: number;
}

export const totalsOf = (buckets: readonly UsageBucket[]): Totals =>
  buckets.reduce<Totals>(
    (sum, each) => ({
      calls: sum.calls + each.calls,
      failures: sum.failures + each.failures,
      costUsd: sum.costUsd + each.costUsd,
      tokens: sum.tokens + each.tokens,
    }),
    { calls: 0, failures: 0, costUsd: 0, tokens: 0 },
  );
