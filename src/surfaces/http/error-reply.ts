/** Turns errors into HTTP answers: status and body from the error table, without internals. */
import {
  ERRORS,
  type ErrorCode,
  type ErrorExtras,
  type ToolError,
  ToolFailure,
  toolError,
} from '../../contract/errors.ts';
import type { Logger } from '../../contract/runtime.ts';
import { JSON_HEADERS, type PlainAnswer } from '../door/answer.ts';

/** `status` is for what the error table has no row for: a body of the wrong type or size, a 401. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message?: string;
  readonly extras?: ErrorExtras;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const MAX_WAIT_S = 3600;

const retryAfter = ({ retryAfterMs }: ToolError): Record<string, string> =>
  retryAfterMs === undefined
    ? {}
    : { 'retry-after': String(Math.min(MAX_WAIT_S, Math.max(1, Math.ceil(retryAfterMs / 1000)))) };

export const refusal = ({ code, message, extras, status, headers }: Refusal): PlainAnswer => {
  const error = toolError(code, message, extras);
  return {
    status: status ?? ERRORS[code].http,
    headers: { ...JSON_HEADERS, ...retryAfter(error), ...headers },
    body: JSON.stringify({ error }),
  };
};

/**
 * Refuses the sender of a request with 401. The error table has no such status, so that no failure
 * of a tool can make a client believe that its own token or session is bad.
 */
export const notSignedIn = (
  message: string,
  details: {
    readonly suggestion: string;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Refusal => ({
  code: 'AUTH_MISSING',
  status: 401,
  message,
  extras: { suggestions: [details.suggestion] },
  ...(details.headers && { headers: details.headers }),
});

/** Answers what a route threw: a ToolFailure by its code, anything else as INTERNAL. */
export const failure = (error: unknown, log: Logger, requestId: string): PlainAnswer => {
  if (error instanceof ToolFailure) {
    const { code, message, extras } = error;
    if (code !== 'INTERNAL') return refusal({ code, message, extras });
  }
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log.error('a request failed', { requestId, cause });
  return refusal({ code: 'INTERNAL' });
};

/**
 * Makes the same error for a thing that does not exist and for one that the caller must not see.
 */
export const notFound = (what = 'The thing asked for'): ToolFailure =>
  new ToolFailure('NOT_FOUND', `${what} does not exist.`);
