/**
 * The error code of an HTTP status of a service. 403 is no PERMISSION_DENIED: that one says that a rule
 * of this crib refused the call (docs/decisions/0041-statuses-of-services.md).
 */
import type { ErrorCode } from '../../contract/errors.ts';

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'VALIDATION_ERROR',
  401: 'AUTH_MISSING',
  403: 'AUTH_MISSING',
  404: 'NOT_FOUND',
  408: 'SERVER_ERROR',
  409: 'CONFLICT',
  422: 'VALIDATION_ERROR',
  423: 'LOCK',
  425: 'SERVER_ERROR',
  429: 'RATE_LIMITED',
};

/** Gives the error code of an HTTP status. */
export const codeForStatus = (status: number): ErrorCode =>
  (Object.hasOwn(CODES, status) ? CODES[status] : undefined) ??
  (status >= 500 ? 'SERVER_ERROR' : 'EXECUTION_FAILED');
