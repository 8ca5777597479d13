/** The failure of a composed tool: why, by which part, and what the parts have done so far. */
import { type ErrorCode, ToolFailure, toolError } from '../../contract/errors.ts';
import type { PartOutcome } from './call-part.ts';

export interface FailedPart {
  /** How messages name the part, e.g. `part 2 of 3, scrape,`. */
  readonly label: string;
  readonly outcome: PartOutcome;
  /** Its input was made by the composition, and not by the caller. */
  readonly hasOwnInput: boolean;
}

/** Chooses the code: the caller's input is not at fault where another part or the composition made it. */
const codeOf = (code: ErrorCode, hasOwnInput: boolean): ErrorCode =>
  code === 'VALIDATION_ERROR' && hasOwnInput ? 'EXECUTION_FAILED' : code;

const hasSucceeded = (partial: readonly PartOutcome[]): boolean =>
  partial.some(({ success }) => success);

const suggestionsFor = (
  { outcome, label }: FailedPart,
  results: readonly PartOutcome[],
): readonly string[] => [
  ...(outcome.error?.suggestions ?? []),
  ...(outcome.approvalId === undefined || !hasSucceeded(results)
    ? []
    : [`A new call runs the parts before ${label} again: call what is left by itself.`]),
];

/** Makes the failure of the whole from that of a part. `partial` passes redaction like data. */
export const wholeFailure = (
  failed: FailedPart,
  results: readonly PartOutcome[],
  partial: unknown,
): ToolFailure => {
  const { outcome, label, hasOwnInput } = failed;
  const error = outcome.error ?? toolError('EXECUTION_FAILED');
  const { issues, retryAfterMs } = error;
  const code = codeOf(error.code, hasOwnInput);
  const message = `${label} failed: ${error.message}`;
  return new ToolFailure(code, message.charAt(0).toUpperCase() + message.slice(1), {
    suggestions: suggestionsFor(failed, results),
    retryable: error.retryable,
    cause: error.code,
    partial,
    ...(issues && { issues }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
};
