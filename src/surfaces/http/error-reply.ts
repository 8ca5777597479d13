/** Errors as this door tells them: status and body from the table, and nothing of the inside. */
import {
  ERRORS,
  type ErrorCode,
  type ErrorExtras,
  type ToolError,
  ToolFailure,
  toolError,
} from '../../contract/errors.ts';
import type { Logger } from '../../contract/runtime.ts';
import { thrownTrace } from '../../kit/data/reason-of.ts';
import { JSON_HEADERS, type PlainAnswer } from './answer.ts';

/** The table has no row for what only HTTP knows: a body of the wrong kind or size, a stranger. */
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
 * 401, which only this door says, and only about the sender of the request. The table has no such
 * status, so no failure of a tool can make a client believe that its own token or session is bad.
 */
export const notSignedIn = (
  message: string,
  given: {
    readonly suggestion: string;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Refusal => ({
  code: 'AUTH_MISSING',
  status: 401,
  message,
  extras: { suggestions: [given.suggestion] },
  ...(given.headers && { headers: given.headers }),
});

/** What a route threw: a failure of ours by its code, anything else as INTERNAL. */
export const failure = (error: unknown, log: Logger, requestId: string): PlainAnswer => {
  if (error instanceof ToolFailure) {
    const { code, message, extras } = error;
    if (code !== 'INTERNAL') return refusal({ code, message, extras });
  }
  const cause = thrownTrace(error);
  log.error('a request failed', { requestId, cause });
  return refusal({ code: 'INTERNAL' });
};

/** The same words whether there is nothing or nothing to see. */
export const notFound = (what = 'The thing asked for'): ToolFailure =>
  new ToolFailure('NOT_FOUND', `${what} does not exist.`);
