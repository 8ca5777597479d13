/** The exit code of a result: looked up in the table of errors, never decided elsewhere. */
import { ERRORS } from '../../contract/errors.ts';
import type { ToolResult, ToolStatus } from '../../contract/result.ts';

/** For a result that failed without saying why. */
const BY_STATUS: Readonly<Record<ToolStatus, number>> = {
  success: 0,
  failure: 1,
  denied: 3,
  timeout: 4,
  cancelled: 4,
  pending: 5,
};

export const exitCodeOf = ({ success, status, error }: ToolResult): number => {
  if (success) return 0;
  return error ? ERRORS[error.code].exit : BY_STATUS[status];
};
