/** Figures of calls as this API shows them. */
import { z } from 'zod';

const counts = z.record(z.string(), z.number());

export const figuresSchema = z.object({
  calls: z.number(),
  successRate: z.number(),
  errorRate: z.number(),
  byStatus: counts,
  byCode: counts,
  throughput: z.number(),
  concurrency: z.number(),
  averageExecutionTime: z.number(),
  medianExecutionTime: z.number(),
  p95ExecutionTime: z.number(),
  p99ExecutionTime: z.number(),
  maxExecutionTime: z.number(),
  attempts: z.number(),
  cacheHits: z.number(),
  costUsd: z.number(),
  tokens: z.number(),
  resourceUtilization: z.object({ cpuMs: z.number(), peakMemoryBytes: z.number() }),
});
