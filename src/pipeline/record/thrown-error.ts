/** Turns what the code of a flow or the handler of a job threw into an error that can be kept. */
import { type ToolError, toolError } from '../../contract/errors.ts';
import { jsonValue } from '../../kit/data/json-value.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { codedFailure } from './read-thrown.ts';

/** Returns an error as JSON can hold it, without a partial result that JSON cannot hold. */
const plainError = (error: ToolError): ToolError => {
  try {
    return jsonValue(error) as ToolError;
  } catch {
    const { partial: _partial, ...plain } = error;
    return plain;
  }
};

/** Makes the error of what was thrown; EXECUTION_FAILED where it has no code of the table. Never throws. */
export const thrownError = (thrown: unknown): ToolError => {
  const coded = codedFailure(thrown);
  if (!coded) return toolError('EXECUTION_FAILED', reasonOf(thrown));
  return plainError(toolError(coded.code, coded.message, coded.extras));
};
