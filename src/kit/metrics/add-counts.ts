/** Adds up counts of calls. */
import type { CallCounts } from '../../contract/metrics.ts';
import { addBuckets } from './duration-buckets.ts';

type Numbers = Readonly<Partial<Record<string, number>>>;

const addByName = <T extends Numbers>(one: T, other: T): T => {
  const sum: Record<string, number> = { ...(one as Record<string, number>) };
  for (const [name, calls] of Object.entries(other)) sum[name] = (sum[name] ?? 0) + (calls ?? 0);
  return sum as unknown as T;
};

export const addCounts = (one: CallCounts, other: CallCounts): CallCounts => ({
  byStatus: addByName(one.byStatus, other.byStatus),
  byCode: addByName(one.byCode, other.byCode),
  retries: one.retries + other.retries,
  cacheHits: one.cacheHits + other.cacheHits,
  costMicros: one.costMicros + other.costMicros,
  tokens: one.tokens + other.tokens,
  totalMs: one.totalMs + other.totalMs,
  maxMs: Math.max(one.maxMs, other.maxMs),
  cpuMs: one.cpuMs + other.cpuMs,
  peakMemoryBytes: Math.max(one.peakMemoryBytes, other.peakMemoryBytes),
  durations: addBuckets(one.durations, other.durations),
});
