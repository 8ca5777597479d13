/** The `execution` section: how many calls run at once, how long, and what happens when they fail. */
import { z } from 'zod';
import { milliseconds, positiveCount } from './fields.ts';
import { retrySetting } from './retry.ts';

const breaker = z
  .strictObject({
    enabled: z
      .boolean()
      .describe('Let a tool that keeps failing rest (also known as circuitBreakerEnabled).')
      .default(true),
    failures: positiveCount.describe('Failures in a row that open the circuit.').default(5),
    restMs: milliseconds
      .describe('Milliseconds until one call may probe whether the tool works again.')
      .default(30_000),
  })
  .describe('The circuit breaker of tools that declare none.')
  .prefault({});

const cache = z
  .strictObject({
    enabled: z
      .boolean()
      .describe('Reuse results of tools that allow it (also known as enableToolCaching).')
      .default(true),
    maxEntries: positiveCount
      .describe('How many results are kept; the oldest go first (also known as cacheSize).')
      .default(1000),
  })
  .describe('The cache of results.')
  .prefault({});

export const executionSection = z
  .strictObject({
    maxConcurrentTools: positiveCount
      .describe('How many calls run at once in this process.')
      .default(64),
    queueLimit: z
      .int()
      .min(0)
      .describe('How many more calls may wait for a place; beyond that a call is refused.')
      .default(1000),
    defaultToolTimeout: milliseconds
      .describe('Milliseconds a call may take when its tool sets no timeout.')
      .default(30_000),
    maxCallDepth: positiveCount
      .describe('How deep tools may call tools that call tools.')
      .default(8),
    retry: retrySetting
      .describe('The retry policy of tools that declare none (also known as defaultRetryPolicy).')
      .default('NONE'),
    breaker,
    cache,
    idempotencyHours: z
      .number()
      .positive()
      .max(24 * 365)
      .describe('Hours for which the result under an idempotency key is kept and replayed.')
      .default(24),
  })
  .describe('How calls are run: concurrency, time, retries, circuit breaker and cache.')
  .prefault({});
