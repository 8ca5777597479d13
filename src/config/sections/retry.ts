/** How a retry policy is written in configuration: the name of a preset, or the policy itself. */
import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../contract/errors.ts';
import { type Backoff, RetryPolicies, type RetryPolicy } from '../../contract/retry.ts';
import { LONGEST_TIMER_MS } from './fields.ts';

const delay = z.int().min(0).max(LONGEST_TIMER_MS);

const none = z.strictObject({ type: z.literal('none') });
const fixed = z.strictObject({
  type: z.literal('fixed'),
  delay: delay.describe('Milliseconds before every try.'),
});
const linear = z.strictObject({
  type: z.literal('linear'),
  baseDelay: delay.describe('Milliseconds before the first retry.'),
  increment: delay.describe('Milliseconds more before each further one.'),
});
const exponential = z.strictObject({
  type: z.literal('exponential'),
  baseDelay: delay.describe('Milliseconds before the first retry.'),
  maxDelay: delay.describe('The longest wait in milliseconds.'),
  multiplier: z.number().min(1).describe('By how much each wait is longer than the last.'),
});
const jittered = z.strictObject({
  type: z.literal('jittered'),
  base: z
    .discriminatedUnion('type', [none, fixed, linear, exponential])
    .describe('The backoff that is varied.'),
  jitter: z.number().min(0).max(1).describe('The share of the wait that chance decides.'),
});

const codes = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];

const STANDARD_BACKOFF: Backoff = RetryPolicies.STANDARD.backoff;

const policy = z
  .strictObject({
    maxRetries: z.int().min(0).max(100).describe('Tries after the first one.'),
    backoff: z
      .discriminatedUnion('type', [none, fixed, linear, exponential, jittered])
      .describe('How long to wait between tries.')
      .default(STANDARD_BACKOFF as z.output<typeof exponential>),
    retryableErrors: z
      .array(z.enum(codes))
      .exactOptional()
      .describe('Only these codes are tried again; otherwise every code that is retryable.'),
    nonRetryableErrors: z
      .array(z.enum(codes))
      .exactOptional()
      .describe('These codes are never tried again.'),
  })
  .describe('A policy of your own.');

export const retrySetting = z.union([z.enum(['NONE', 'QUICK', 'STANDARD', 'AGGRESSIVE']), policy]);

export type RetrySetting = z.output<typeof retrySetting>;

/** The policy a setting stands for. */
export const retryPolicyOf = (setting: RetrySetting): RetryPolicy =>
  typeof setting === 'string' ? RetryPolicies[setting] : setting;
