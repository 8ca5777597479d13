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

/** The exit code of the program that a tool ran, where that was not 0; `undefined` otherwise. */
export const failedCommand = ({ success, data }: ToolResult): number | undefined => {
  if (!success || typeof data !== 'object' || data === null) return undefined;
  const { success: worked, exitCode } = data as { success?: unknown; exitCode?: unknown };
  return worked === false && typeof exitCode === 'number' && exitCode !== 0 ? exitCode : undefined;
};

/** A script has to see that the command it had run failed: that counts as a tool that failed. */
export const exitCodeOf = (result: ToolResult): number => {
  const { success, status, error } = result;
  if (success) return failedCommand(result) === undefined ? 0 : BY_STATUS.failure;
  return error ? ERRORS[error.code].exit : BY_STATUS[status];
};
