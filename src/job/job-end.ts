/** Turns what a handler returned or threw into the end of an attempt. */
import { ERRORS, type ErrorCode, type ToolError, toolError } from '../contract/errors.ts';
import type { JobEnd } from '../contract/queue.ts';
import { compact } from '../kit/data/compact.ts';
import { isText } from '../kit/data/is-text.ts';
import { isError, propertyOf, reasonOf } from '../kit/data/reason-of.ts';
import { thrownError } from '../pipeline/record/thrown-error.ts';
import { checkPayload } from './check-payload.ts';

/** Thrown through a handler when its job waits for something outside. */
export class PostponedJob extends Error {
  readonly retryAfterMs: number;
  /** The question to a person that it waits for. */
  readonly approvalId: string | undefined;

  constructor(why: string, retryAfterMs: number, approvalId?: string) {
    super(why);
    this.name = 'PostponedJob';
    this.retryAfterMs = retryAfterMs;
    this.approvalId = approvalId;
  }
}

/** Codes that another attempt cannot mend, besides those that the table calls final. */
const HOPELESS: ReadonlySet<ErrorCode> = new Set([
  ...(['VALIDATION_ERROR', 'TOOL_NOT_FOUND', 'TOOL_DISABLED', 'TOOL_QUARANTINED'] as const),
  ...(['APPROVAL_EXPIRED', 'AUTH_MISSING', 'CONFLICT', 'NOT_FOUND'] as const),
  ...(['MODEL_NOT_CONFIGURED', 'DEPENDENCY_MISSING'] as const),
]);

/** Tells whether another attempt cannot mend an error. */
export const isHopeless = ({ code, inDoubt, retryable }: ToolError): boolean =>
  inDoubt !== undefined || (!retryable && (!ERRORS[code].recoverable || HOPELESS.has(code)));

/** Reads the error that a handler threw, with the call of the job in doubt that it may name. */
const errorOf = (thrown: unknown): ToolError => {
  const inDoubt = propertyOf(propertyOf(thrown, 'extras'), 'inDoubt');
  return { ...thrownError(thrown), ...(isText(inDoubt) && { inDoubt }) };
};

/** Turns what a handler threw into the end of its attempt. Never throws. */
export const failedEnd = (thrown: unknown): JobEnd => {
  if (isError(thrown) && thrown instanceof PostponedJob) {
    const { retryAfterMs, message: reason, approvalId } = thrown;
    return { state: 'postponed', retryAfterMs, reason, ...compact({ approvalId }) };
  }
  const error = errorOf(thrown);
  const { retryAfterMs } = error;
  return {
    state: 'failed',
    error,
    retryable: !isHopeless(error),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
};

/** The end of an attempt whose handler returned. A result that cannot be kept makes the job dead. */
export const returnedEnd = (value: unknown): JobEnd => {
  if (value === undefined) return { state: 'completed' };
  try {
    return { state: 'completed', result: checkPayload(value, 'result') };
  } catch (error) {
    const message = `The handler has run, but its result cannot be kept: ${reasonOf(error)}`;
    const suggestions = ['Return plain JSON data of at most 1 MB, or nothing.'];
    const cannot = toolError('OUTPUT_INVALID', message, { suggestions });
    return { state: 'failed', error: cannot, retryable: false };
  }
};
