/** Faults in the code of a model, at its own line and column. */
import { type Issue, ToolFailure } from '../../contract/errors.ts';

/** Both counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export const issueAt = ({ line, column }: Position, message: string): Issue => ({
  path: ['code', line, column],
  message: `line ${line}, column ${column}: ${message}`,
});

export const badCode = (issues: readonly Issue[]): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', 'The code cannot be run: nothing of it was.', {
    issues,
    suggestions: ['Correct the places named and send the code again.'],
  });
