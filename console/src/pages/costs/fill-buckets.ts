/** Puts the hours or days without a call back in: a chart that leaves them out would lie about time. */
import { BUCKET_MS, type Span } from '../../charts/period.ts';
import type { UsageBucket } from './usage-records.ts';

export interface Step extends Omit<UsageBucket, 'p50Ms' | 'p95Ms'> {
  /** `null` where nothing ran: no call is not a fast call. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

const QUIET = { calls: 0, failures: 0, costUsd: 0, tokens: 0, p50Ms: null, p95Ms: null };

export const fillBuckets = (
  buckets: readonly UsageBucket[],
  { from, to, bucket }: Span,
): readonly Step[] => {
  const size = BUCKET_MS[bucket];
  const known = new Map(buckets.map((each) => [each.at, each]));
  const steps: Step[] = [];
  for (let at = from; at < to; at += size) steps.push(known.get(at) ?? { at, ...QUIET });
  return steps;
};

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
