/** The one list of error codes that say that a failed call has changed nothing, and when to believe them. */
import type { ErrorCode, ToolError } from '../contract/errors.ts';
import type { Tool } from '../contract/tool.ts';
import { onlyReads } from './only-reads.ts';

/** Codes that say that the work did not begin, also where the tool itself failed with one. */
const NOT_BEGUN: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['RATE_LIMITED', 'LOCK', 'CIRCUIT_OPEN', 'AUTH_MISSING', 'DEPENDENCY_MISSING'] as const),
]);

/** Codes of gates before the tool itself. */
const REFUSED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['VALIDATION_ERROR', 'TOOL_NOT_FOUND', 'TOOL_DISABLED', 'TOOL_QUARANTINED'] as const),
  ...(['PERMISSION_DENIED', 'SECURITY_VIOLATION', 'USER_CANCELLED', 'APPROVAL_EXPIRED'] as const),
  ...(['PRECONDITION_FAILED', 'LOOP_DETECTED', 'CALL_CYCLE'] as const),
]);

export const hasNotBegun = ({ code }: Pick<ToolError, 'code'>): boolean => NOT_BEGUN.has(code);

/**
 * Tells whether a failed call has changed nothing. The codes of a tool that calls others may be those of
 * what it called, after something else has changed; a composed tool says in `partial` whether it began.
 */
export const hasChangedNothing = (tool: Tool | undefined, error: ToolError): boolean => {
  if (onlyReads(tool)) return true;
  const isBeforeItsParts = tool?.composition !== undefined && error.partial === undefined;
  if (tool?.callsTools && !isBeforeItsParts) return false;
  // A store that failed after the tool ran makes a failure that is not retryable.
  if (error.code === 'STORE_UNAVAILABLE') return error.retryable;
  return hasNotBegun(error) || REFUSED.has(error.code);
};
