/** Answers a call that cannot be recorded because there is no store: it does not run. */
import type { CallAs } from '../contract/call-options.ts';
import { isErrorCode, type ToolError, ToolFailure, toolError } from '../contract/errors.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import { thrownText } from '../kit/data/reason-of.ts';
import { newCall } from './new-call.ts';
import { failedWith } from './outcome.ts';
import { optionsFault } from './request-fault.ts';

interface Refused {
  readonly executionId: string;
  readonly toolName: string;
  readonly rawInput: unknown;
  readonly as: CallAs | undefined;
  readonly error: unknown;
}

/** Keeps the error's own message where it has a code: it says what to correct. */
const refusalOf = (error: unknown): ToolError => {
  if (error instanceof ToolFailure && error.extras.retryable === false) {
    return toolError(error.code, error.message, error.extras);
  }
  const isCoded = error instanceof Error && 'code' in error && isErrorCode(error.code);
  const suggestions = isCoded
    ? [error.message]
    : ['Run `toolcrib doctor` to see what is wrong with it.'];
  return toolError('STORE_UNAVAILABLE', 'The store cannot be opened, so nothing was run.', {
    suggestions,
  });
};

export const refuseWithoutStore = ({ error, ...call }: Refused, runtime: Runtime): ToolResult => {
  runtime.log.error('the store could not be opened', { error: thrownText(error) });
  // Invalid options are left out: the call does not run anyway.
  const as = optionsFault(call.as) ? undefined : call.as;
  const from = { ...call, as, parent: undefined };
  return failedWith(newCall(from, { runtime, nextId: () => call.executionId }), refusalOf(error));
};
