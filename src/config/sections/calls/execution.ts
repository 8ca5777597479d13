/** The `execution` section: concurrency, time limits, retries, circuit breaker and cache. */
import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../../contract/errors.ts';
import { type Backoff, RetryPolicies, type RetryPolicy } from '../../../contract/retry.ts';
import { DAY_MS } from '../../../kit/data/durations.ts';
import { MAX_TIMER_MS, milliseconds, positiveCount } from '../fields.ts';
import { described, optionalSetting, section, setting } from '../setting.ts';

const delay = z.int().min(0).max(MAX_TIMER_MS);

const none = z.strictObject({ type: z.literal('none') });
const fixed = z.strictObject({
  type: z.literal('fixed'),
  delay: described(delay, { about: 'Milliseconds before every try.' }),
});
const linear = z.strictObject({
  type: z.literal('linear'),
  baseDelay: described(delay, { about: 'Milliseconds before the first retry.' }),
  increment: described(delay, { about: 'Milliseconds more before each further one.' }),
});
const exponential = z.strictObject({
  type: z.literal('exponential'),
  baseDelay: described(delay, { about: 'Milliseconds before the first retry.' }),
  maxDelay: described(delay, { about: 'The longest wait in milliseconds.' }),
  multiplier: described(z.number().min(1), {
    about: 'By how much each wait is longer than the last.',
  }),
});
const jittered = z.strictObject({
  type: z.literal('jittered'),
  base: described(z.discriminatedUnion('type', [none, fixed, linear, exponential]), {
    about: 'The backoff that is varied.',
  }),
  jitter: described(z.number().min(0).max(1), {
    about: 'The share of the wait that chance decides.',
  }),
});

const codes = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];

const STANDARD_BACKOFF: Backoff = RetryPolicies.STANDARD.backoff;

const policy = described(
  z.strictObject({
    maxRetries: described(z.int().min(0).max(100), { about: 'Tries after the first one.' }),
    backoff: setting(z.discriminatedUnion('type', [none, fixed, linear, exponential, jittered]), {
      about: 'How long to wait between tries.',
      default: STANDARD_BACKOFF as z.output<typeof exponential>,
    }),
    retryableErrors: optionalSetting(z.array(z.enum(codes)), {
      about: 'Only these codes are tried again; otherwise every code that is retryable.',
    }),
    nonRetryableErrors: optionalSetting(z.array(z.enum(codes)), {
      about: 'These codes are never tried again.',
    }),
  }),
  { about: 'A policy of your own.' },
);

/** The name of a preset, or a policy. */
export const retrySetting = z.union([z.enum(['NONE', 'QUICK', 'STANDARD', 'AGGRESSIVE']), policy]);

type RetrySetting = z.output<typeof retrySetting>;

/** Resolves a setting, a preset by name or a policy, to the policy. */
export const retryPolicyOf = (setting: RetrySetting): RetryPolicy =>
  typeof setting === 'string' ? RetryPolicies[setting] : setting;

const errorRate = z.strictObject({
  max: described(z.number().gt(0).max(1), {
    about: 'The share of failed calls that opens the circuit, e.g. 0.5.',
    project: 'user',
  }),
  windowMs: described(milliseconds, {
    about: 'Milliseconds over which calls are counted.',
    project: 'user',
  }),
  minCalls: optionalSetting(positiveCount, {
    about: 'Calls in the window before it is judged; 10 when absent.',
    project: 'user',
  }),
});

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
    errorRate: optionalSetting(errorRate.describe('A share of failures over a window.'), {
      about: 'Opens the circuit as well when too large a share of the calls of a window failed.',
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
        about:
          'Hours for which the result under an idempotency key is kept and replayed; those of runs and jobs are kept for 400 days.',
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
