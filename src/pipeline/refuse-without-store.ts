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

/** The error's own words where it has a code: they say what to mend. */
const refusalOf = (error: unknown): ToolError => {
  if (error instanceof ToolFailure && error.extras.retryable === false) {
    return toolError(error.code, error.message, error.extras);
  }
  const told = error instanceof Error && 'code' in error && isErrorCode(error.code);
  const suggestions = told
    ? [error.message]
    : ['Run `toolcrib doctor` to see what is wrong with it.'];
  return toolError('STORE_UNAVAILABLE', 'The store cannot be opened, so nothing was run.', {
    suggestions,
  });
};

export const refuseWithoutStore = ({ error, ...call }: Refused, runtime: Runtime): ToolResult => {
  runtime.log.error('the store could not be opened', { error: thrownText(error) });
  // Options that cannot be read are of no use to a call that does not run.
  const as = optionsFault(call.as) ? undefined : call.as;
  const from = { ...call, as, parent: undefined };
  return failedWith(newCall(from, { runtime, nextId: () => call.executionId }), refusalOf(error));
};
