/** The `execution` section: how many calls run at once, how long, and what happens when they fail. */
import { z } from 'zod';
import { byProject } from '../project-rule.ts';
import { milliseconds, positiveCount } from './fields.ts';
import { retrySetting } from './retry.ts';

const breaker = z
  .strictObject({
    enabled: z
      .boolean()
      .describe('Let a tool that keeps failing rest (also known as circuitBreakerEnabled).')
      .meta(byProject('on'))
      .default(true),
    failures: positiveCount
      .describe('Failures in a row that open the circuit.')
      .meta(byProject('lower'))
      .default(5),
    restMs: milliseconds
      .describe('Milliseconds until one call may probe whether the tool works again.')
      .meta(byProject('higher'))
      .default(30_000),
  })
  .describe('The circuit breaker of tools that declare none.')
  .prefault({});

const cache = z
  .strictObject({
    enabled: z
      .boolean()
      .describe('Reuse results of tools that allow it (also known as enableToolCaching).')
      .meta(byProject('off'))
      .default(true),
    maxEntries: positiveCount
      .describe('How many results are kept; the oldest go first (also known as cacheSize).')
      .meta(byProject('lower'))
      .default(1000),
  })
  .describe('The cache of results.')
  .prefault({});

const LOOP = { identicalCalls: 10, windowSeconds: 60 };

const DAY_SECONDS = 24 * 60 * 60;

const loop = z
  .union([
    z.strictObject({
      identicalCalls: positiveCount
        .describe('The same call of the same tool may be made this often in the window.')
        .default(LOOP.identicalCalls),
      windowSeconds: positiveCount
        .max(DAY_SECONDS)
        .describe('The length of the window in seconds.')
        .default(LOOP.windowSeconds),
    }),
    z.literal(false),
  ])
  .describe('Stops a caller that makes one and the same call over and over; false lets it.')
  .meta(byProject('loop'))
  .default(LOOP);

export const executionSection = z
  .strictObject({
    maxConcurrentTools: positiveCount
      .describe('How many calls run at once in this process.')
      .meta(byProject('lower'))
      .default(64),
    queueLimit: z
      .int()
      .min(0)
      .describe('How many more calls may wait for a place; beyond that a call is refused.')
      .meta(byProject('lower'))
      .default(1000),
    defaultToolTimeout: milliseconds
      .describe('Milliseconds a call may take when its tool sets no timeout.')
      .meta(byProject('free'))
      .default(30_000),
    maxCallDepth: positiveCount
      .describe('How deep tools may call tools that call tools.')
      .meta(byProject('lower'))
      .default(8),
    retry: retrySetting
      .describe('The retry policy of tools that declare none (also known as defaultRetryPolicy).')
      .meta(byProject('free'))
      .default('NONE'),
    breaker,
    cache,
    loop,
    idempotencyHours: z
      .number()
      .positive()
      .max(24 * 365)
      .describe('Hours for which the result under an idempotency key is kept and replayed.')
      .meta(byProject('higher'))
      .default(24),
  })
  .describe('How calls are run: concurrency, time, retries, circuit breaker and cache.')
  .prefault({});
