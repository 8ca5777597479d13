/** Runs that a client names by a key of its own, the same on every surface. */
import { ToolFailure } from '../../contract/errors.ts';
import { errorCodeOf, reasonOf } from '../../kit/data/reason-of.ts';
import { keyedRunId, type RunKey } from '../../kit/text/keyed-run-id.ts';

const keyTaken = (flow: string, runId: string): ToolFailure => {
  const message = `This idempotency key was used for a run of ${flow} with another input or plan.`;
  return new ToolFailure('CONFLICT', message, {
    suggestions: [`Use a new key for a new run. That of this key is ${runId}.`],
  });
};

const emptyKey = (): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', 'The idempotency key is empty.', {
    suggestions: ['Give a key of your own, or none: all runs with an empty one would be the same.'],
  });

/**
 * Starts a run under the id of its key, or under none. Rejects with CONFLICT, in words about the key, where it
 * was used for another run: the client has chosen no id; with VALIDATION_ERROR where it is empty.
 */
export const startKeyed = async <T>(
  { key, ...owner }: Omit<RunKey, 'key'> & { readonly key: string | undefined },
  start: (id: { readonly runId?: string }) => Promise<T>,
): Promise<T> => {
  if (key === undefined) return start({});
  if (key === '') throw emptyKey();
  const runId = keyedRunId({ ...owner, key });
  try {
    return await start({ runId });
  } catch (error) {
    const isTaken = errorCodeOf(error) === 'CONFLICT' && reasonOf(error).includes(runId);
    throw isTaken ? keyTaken(owner.flow, runId) : error;
  }
};
