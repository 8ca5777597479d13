/** The `execution` section: how many calls run at once, how long, and what happens when they fail. */
import { z } from 'zod';
import { DAY_MS } from '../../../kit/data/durations.ts';
import { milliseconds, positiveCount } from '../fields.ts';
import { section, setting } from '../setting.ts';
import { retrySetting } from './retry.ts';

const breaker = section(
  z.strictObject({
    enabled: setting(z.boolean(), {
      about: 'Let a tool that keeps failing rest (also known as circuitBreakerEnabled).',
      project: 'on',
      default: true,
    }),
    failures: setting(positiveCount, {
      about: 'Failures in a row that open the circuit.',
      project: 'lower',
      default: 5,
    }),
    restMs: setting(milliseconds, {
      about: 'Milliseconds until one call may probe whether the tool works again.',
      project: 'higher',
      default: 30_000,
    }),
  }),
  'The circuit breaker of tools that declare none.',
);

const cache = section(
  z.strictObject({
    enabled: setting(z.boolean(), {
      about: 'Reuse results of tools that allow it (also known as enableToolCaching).',
      project: 'off',
      default: true,
    }),
    maxEntries: setting(positiveCount, {
      about: 'How many results are kept; the oldest go first (also known as cacheSize).',
      project: 'lower',
      default: 1000,
    }),
  }),
  'The cache of results.',
);

const LOOP = { identicalCalls: 10, windowSeconds: 60 };

const DAY_SECONDS = DAY_MS / 1000;

const loop = setting(
  z.union([
    z.strictObject({
      identicalCalls: setting(positiveCount, {
        about: 'The same call of the same tool may be made this often in the window.',
        default: LOOP.identicalCalls,
      }),
      windowSeconds: setting(positiveCount.max(DAY_SECONDS), {
        about: 'The length of the window in seconds.',
        default: LOOP.windowSeconds,
      }),
    }),
    z.literal(false),
  ]),
  {
    about: 'Stops a caller that makes one and the same call over and over; false lets it.',
    project: 'loop',
    default: LOOP,
  },
);

export const executionSection = section(
  z.strictObject({
    maxConcurrentTools: setting(positiveCount, {
      about: 'How many calls run at once in this process.',
      project: 'lower',
      default: 64,
    }),
    queueLimit: setting(z.int().min(0), {
      about: 'How many more calls may wait for a place; beyond that a call is refused.',
      project: 'lower',
      default: 1000,
    }),
    defaultToolTimeout: setting(milliseconds, {
      about: 'Milliseconds a call may take when its tool sets no timeout.',
      project: 'free',
      default: 30_000,
    }),
    maxCallDepth: setting(positiveCount, {
      about: 'How deep tools may call tools that call tools.',
      project: 'lower',
      default: 8,
    }),
    retry: setting(retrySetting, {
      about: 'The retry policy of tools that declare none (also known as defaultRetryPolicy).',
      project: 'free',
      default: 'NONE',
    }),
    breaker,
    cache,
    loop,
    idempotencyHours: setting(
      z
        .number()
        .positive()
        .max(24 * 365),
      {
        about: 'Hours for which the result under an idempotency key is kept and replayed.',
        project: 'higher',
        default: 24,
      },
    ),
    undoDays: setting(positiveCount.max(36_500), {
      about: 'Days for which a call can be undone; then what it needs for that is forgotten.',
      project: 'higher',
      default: 30,
    }),
  }),
  'How calls are run: concurrency, time, retries, circuit breaker and cache.',
);
