/** Retry policies as values. The pipeline's `recover` stage is what acts on them. */
import type { ErrorCode, ToolError } from './errors.ts';

export type Backoff =
  | { readonly type: 'none' }
  | { readonly type: 'fixed'; readonly delay: number }
  | { readonly type: 'linear'; readonly baseDelay: number; readonly increment: number }
  | {
      readonly type: 'exponential';
      readonly baseDelay: number;
      readonly maxDelay: number;
      readonly multiplier: number;
    }
  | { readonly type: 'jittered'; readonly base: Backoff; readonly jitter: number };

export interface RetryPolicy {
  /** Tries after the first one. */
  readonly maxRetries: number;
  readonly backoff: Backoff;
  /** Only these codes are tried again; when absent, every code that the table calls retryable. */
  readonly retryableErrors?: readonly ErrorCode[];
  readonly nonRetryableErrors?: readonly ErrorCode[];
  /** Decides about one failure, after the rules above. `attempt` counts from 1. */
  shouldRetry?(error: ToolError, attempt: number): boolean;
}

const TRANSIENT = ['TIMEOUT', 'RATE_LIMITED', 'NETWORK'] as const;

export const RetryPolicies = {
  NONE: { maxRetries: 0, backoff: { type: 'none' } },
  QUICK: {
    maxRetries: 3,
    backoff: { type: 'fixed', delay: 1000 },
    retryableErrors: TRANSIENT,
  },
  STANDARD: {
    maxRetries: 3,
    backoff: { type: 'exponential', baseDelay: 1000, maxDelay: 30_000, multiplier: 2 },
    retryableErrors: [...TRANSIENT, 'SERVER_ERROR'],
  },
  AGGRESSIVE: {
    maxRetries: 5,
    backoff: {
      type: 'jittered',
      base: { type: 'exponential', baseDelay: 500, maxDelay: 60_000, multiplier: 2 },
      jitter: 0.1,
    },
    retryableErrors: [...TRANSIENT, 'SERVER_ERROR', 'LOCK'],
  },
  CUSTOM: (policy: RetryPolicy): RetryPolicy => policy,
} as const satisfies Record<string, RetryPolicy | ((policy: RetryPolicy) => RetryPolicy)>;
