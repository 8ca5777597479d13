/** How a retry policy is written in configuration: the name of a preset, or the policy itself. */
import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../../contract/errors.ts';
import { type Backoff, RetryPolicies, type RetryPolicy } from '../../../contract/retry.ts';
import { MAX_TIMER_MS } from '../fields.ts';
import { described, optionalSetting, setting } from '../setting.ts';

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

export const retrySetting = z.union([z.enum(['NONE', 'QUICK', 'STANDARD', 'AGGRESSIVE']), policy]);

export type RetrySetting = z.output<typeof retrySetting>;

/** The policy a setting stands for. */
export const retryPolicyOf = (setting: RetrySetting): RetryPolicy =>
  typeof setting === 'string' ? RetryPolicies[setting] : setting;
