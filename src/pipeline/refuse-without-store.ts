/** Answers a call that cannot be recorded because there is no store: it does not run. */
import type { CallAs } from '../contract/call-options.ts';
import { isErrorCode, toolError } from '../contract/errors.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import { thrownText } from '../kit/data/reason-of.ts';
import { newCall } from './new-call.ts';
import { failedWith } from './outcome.ts';

interface Refused {
  readonly executionId: string;
  readonly toolName: string;
  readonly rawInput: unknown;
  readonly as: CallAs | undefined;
  readonly error: unknown;
}

/** The store's own words where it gave any: they say what to mend. */
const suggestionsOf = (error: unknown): readonly string[] => {
  const told = error instanceof Error && 'code' in error && isErrorCode(error.code);
  return told ? [error.message] : ['Run `toolcrib doctor` to see what is wrong with it.'];
};

export const refuseWithoutStore = ({ error, ...call }: Refused, runtime: Runtime): ToolResult => {
  runtime.log.error('the store could not be opened', { error: thrownText(error) });
  const from = { ...call, parent: undefined };
  const refusal = toolError(
    'STORE_UNAVAILABLE',
    'The store cannot be opened, so nothing was run.',
    {
      suggestions: suggestionsOf(error),
    },
  );
  return failedWith(newCall(from, { runtime, nextId: () => call.executionId }), refusal);
};
