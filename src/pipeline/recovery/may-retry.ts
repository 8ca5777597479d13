/** Decides whether a failed call may be tried again: by its effects, then the policy, then the error. */
import type { CallNotes } from '../../contract/call.ts';
import type { ToolError } from '../../contract/errors.ts';
import type { RetryPolicy } from '../../contract/retry.ts';
import type { Tool } from '../../contract/tool.ts';
import { ignoreRejection } from '../record/read-thrown.ts';

/** Tells whether another run, also of a fallback, could cause an effect twice. */
export const mayRepeatEffect = (tool: Tool, notes: CallNotes): boolean =>
  notes.effectPossible && tool.idempotent !== true;

const isListed = (policy: RetryPolicy, error: ToolError): boolean => {
  if (policy.nonRetryableErrors?.includes(error.code)) return false;
  if (policy.retryableErrors) return policy.retryableErrors.includes(error.code);
  return error.retryable;
};

/** Tells whether a failed call may be tried again. `attempt` is the number of tries made so far. */
export const mayRetry = (
  policy: RetryPolicy,
  error: ToolError,
  call: { readonly tool: Tool; readonly notes: CallNotes; readonly attempt: number },
): boolean => {
  if (call.attempt > policy.maxRetries) return false;
  if (mayRepeatEffect(call.tool, call.notes)) return false;
  if (!isListed(policy, error)) return false;
  return policy.shouldRetry ? agrees(policy, error, call.attempt) : true;
};

/** Asks the policy. One that throws, or returns anything but `true`, allows no other try. */
const agrees = (policy: RetryPolicy, error: ToolError, attempt: number): boolean => {
  try {
    const answer: unknown = policy.shouldRetry?.(error, attempt);
    ignoreRejection(answer);
    return answer === true;
  } catch {
    return false;
  }
};
