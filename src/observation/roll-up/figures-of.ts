/** Derives the figures that people read from counts. */
import type { CallCounts, CallFigures, CountedStatus } from '../../contract/metrics.ts';
import { MICROS_PER_USD } from '../../contract/tool-cost.ts';
import { quantileOf } from '../../kit/metrics/duration-buckets.ts';

const MS_PER_SECOND = 1000;

export const NO_COUNTS: CallCounts = {
  byStatus: {},
  byCode: {},
  retries: 0,
  cacheHits: 0,
  costMicros: 0,
  tokens: 0,
  totalMs: 0,
  maxMs: 0,
  cpuMs: 0,
  peakMemoryBytes: 0,
  durations: [],
};

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

const sumOf = (
  { byStatus }: Pick<CallCounts, 'byStatus'>,
  ...statuses: readonly CountedStatus[]
): number => statuses.reduce((sum, status) => sum + (byStatus[status] ?? 0), 0);

/** Counts all calls, whatever their status. */
export const callsOf = ({ byStatus }: Pick<CallCounts, 'byStatus'>): number => {
  let calls = 0;
  for (const count of Object.values(byStatus)) calls += count;
  return calls;
};

/** Derives the figures of calls that ended in a range of this length. */
export const figuresOf = (counts: CallCounts, lengthMs: number): CallFigures => {
  const { byStatus, byCode, cacheHits, tokens, totalMs, maxMs, durations } = counts;
  const calls = callsOf(counts);
  const succeeded = sumOf(counts, 'success');
  const failed = sumOf(counts, 'failure', 'timeout', 'unknown');
  const ran = succeeded + failed + sumOf(counts, 'cancelled');
  const percentile = (share: number): number => Math.min(quantileOf(durations, share), maxMs);
  return {
    calls,
    successRate: ratio(succeeded, succeeded + failed),
    errorRate: ratio(failed, succeeded + failed),
    byStatus,
    byCode,
    throughput: ratio(calls * MS_PER_SECOND, lengthMs),
    concurrency: ratio(totalMs, lengthMs),
    averageExecutionTime: ratio(totalMs, ran),
    medianExecutionTime: percentile(0.5),
    p95ExecutionTime: percentile(0.95),
    p99ExecutionTime: percentile(0.99),
    maxExecutionTime: maxMs,
    attempts: ran - cacheHits + counts.retries,
    cacheHits,
    costUsd: counts.costMicros / MICROS_PER_USD,
    tokens,
    resourceUtilization: { cpuMs: counts.cpuMs, peakMemoryBytes: counts.peakMemoryBytes },
  };
};
