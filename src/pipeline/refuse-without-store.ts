/** Answers a call that cannot be recorded because there is no store: it does not run. */
import type { CallAs } from '../contract/call-options.ts';
import { type ToolError, toolError } from '../contract/errors.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import { thrownText } from '../kit/data/reason-of.ts';
import { newCall } from './new-call.ts';
import { failedWith } from './outcome.ts';
import { codedFailure } from './record/read-thrown.ts';
import { optionsFault } from './request-fault.ts';

interface Refused {
  readonly executionId: string;
  readonly toolName: string;
  readonly rawInput: unknown;
  readonly as: CallAs | undefined;
  readonly error: unknown;
}

const NOT_OPENED = 'The store cannot be opened, so nothing was run';

/** Keeps the code of an error that no later try makes good; any other is the store's. */
const refusalOf = (error: unknown): ToolError => {
  const coded = codedFailure(error);
  if (!coded) {
    return toolError('STORE_UNAVAILABLE', `${NOT_OPENED}.`, {
      suggestions: ['Run `toolcrib doctor` to see what is wrong with it.'],
    });
  }
  const own = toolError(coded.code, coded.message, coded.extras);
  if (!own.retryable) return own;
  return toolError('STORE_UNAVAILABLE', `${NOT_OPENED}: ${coded.message}`, coded.extras);
};

export const refuseWithoutStore = ({ error, ...call }: Refused, runtime: Runtime): ToolResult => {
  // The answer has the cause where it is known.
  const level = codedFailure(error) ? 'debug' : 'error';
  runtime.log[level]('the store could not be opened', { error: thrownText(error) });
  // Invalid options are left out: the call does not run anyway.
  const as = optionsFault(call.as) ? undefined : call.as;
  const from = { ...call, as, parent: undefined };
  return failedWith(newCall(from, { runtime, nextId: () => call.executionId }), refusalOf(error));
};
