/** Turns errors of servers into failures with a code. Texts of a server are cut and redacted. */
import { ToolFailure } from '../../contract/errors.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';

const MAX_REASON = 500;

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

/** Tells whether a person has to log in. */
export const isLoginNeeded = (error: unknown): boolean =>
  (error instanceof ToolFailure && error.code === 'AUTH_MISSING') ||
  nameOf(error) === 'UnauthorizedError' ||
  codeOf(error) === 'CLIENT_HTTP_AUTHENTICATION';

const INVALID_RESULT = 'INVALID_RESULT';

/**
 * Gives the HTTP status that a request was refused with. An error that the server answered with has none:
 * its data is the server's own and may hold the status of another request.
 */
const httpStatusOf = (error: unknown): number | undefined => {
  if (nameOf(error) !== 'SdkHttpError') return undefined;
  const { status } = (error as { readonly data?: { readonly status?: unknown } }).data ?? {};
  return typeof status === 'number' ? status : undefined;
};

/** Tells whether the server may be of the older kind that knows only the event stream. */
export const isNoSuchTransport = (error: unknown): boolean => {
  const status = httpStatusOf(error);
  return status === 404 || status === 405;
};

/** Tells whether the server says, in the words of the protocol, that there is no such session. */
export const isSessionGone = (error: unknown): boolean => httpStatusOf(error) === 404;

/**
 * Tells whether the server may have forgotten the session of the request, which it then has not read:
 * 404 according to the protocol, 400 by the reference servers.
 */
export const mayLackSession = (error: unknown, sessionId: string | undefined): boolean => {
  return sessionId !== undefined && (isSessionGone(error) || httpStatusOf(error) === 400);
};

/** What a connection fails with that is never made. */
const NOT_REACHED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** What the egress guard says then: its failures have no cause, and one code for all of the network. */
const NOT_REACHED_SENTENCES: ReadonlySet<string> = new Set([
  'The remote host refused the connection: nothing listens there.',
  'The name of the host could not be resolved.',
  'The name of the host was not resolved in time.',
]);

const wasNotReached = (error: unknown): boolean =>
  error instanceof ToolFailure
    ? NOT_REACHED_SENTENCES.has(error.message)
    : error instanceof Error && NOT_REACHED.has(codeOf(error.cause));

/**
 * Tells whether a call that was sent may have run, although it failed: only what is known to come before
 * that says no. An error that the server answered with is judged apart.
 */
export const mayHaveRun = (error: unknown): boolean => {
  const status = httpStatusOf(error);
  const isRefused = status !== undefined && ((status >= 400 && status < 500) || status === 503);
  return !isRefused && !wasNotReached(error);
};

/** What the SDK puts before the reason; it says nothing to somebody whose server cannot be reached. */
const SDK_PREFIX = /^Version negotiation probe failed: /;

/** What the SDK says of an answer that breaks the protocol: the issues of its schema follow, as JSON. */
const INVALID_ANSWER = /^Invalid result for ([\w/]+): /;

/** Gives the place and the words of the first issue; nothing for what is no list of issues. */
const firstIssue = (issues: string): string => {
  try {
    const [issue] = JSON.parse(issues) as readonly { path?: unknown; message?: unknown }[];
    const path = Array.isArray(issue?.path) ? issue.path.join('.') : '';
    return typeof issue?.message === 'string' ? ` (${path}: ${issue.message})` : '';
  } catch {
    return '';
  }
};

export const shortReasonOf = (error: unknown): string => {
  const reason = reasonOf(error);
  const [start, method] = INVALID_ANSWER.exec(reason) ?? [];
  if (codeOf(error) !== INVALID_RESULT || start === undefined) {
    return reason.replace(SDK_PREFIX, '').slice(0, MAX_REASON);
  }
  const issue = firstIssue(reason.slice(start.length));
  return `its answer to ${method} breaks the protocol${issue}`.slice(0, MAX_REASON);
};

export const loginNeeded = (server: string): ToolFailure =>
  new ToolFailure('AUTH_MISSING', `The MCP server ${server} wants a login.`, {
    suggestions: [`Log in with: toolcrib servers login ${server}`],
  });

/** Scopes that may be repeated in a suggestion; other texts could be more than names. */
const SCOPES = /^[\w:./ -]{1,300}$/;

const scopeNeeded = (error: unknown, server: string): ToolFailure | undefined => {
  if (!(error instanceof Error) || !('requiredScope' in error)) return undefined;
  const required = String(error.requiredScope);
  const scope = SCOPES.test(required) ? required : '<scopes>';
  return new ToolFailure('AUTH_MISSING', `The login to the MCP server ${server} is not enough.`, {
    suggestions: [`Log in for more: toolcrib servers login ${server} --scope '${scope}'`],
  });
};

export interface FailureDeps {
  readonly server: string;
  /** Whether the same call may be sent again without harm; false also holds for failures with a code. */
  readonly retryable: boolean;
  redact(text: string): string;
}

const notRetryable = ({ code, message, extras }: ToolFailure): ToolFailure =>
  new ToolFailure(code, message, { ...extras, retryable: false });

export const serverFailure = (error: unknown, deps: FailureDeps): ToolFailure => {
  if (isLoginNeeded(error)) return error instanceof ToolFailure ? error : loginNeeded(deps.server);
  if (error instanceof ToolFailure) return deps.retryable ? error : notRetryable(error);
  const missingScope = scopeNeeded(error, deps.server);
  if (missingScope) return missingScope;
  const isLate = nameOf(error) === 'TimeoutError';
  const reason = isLate ? 'it did not answer in time' : deps.redact(shortReasonOf(error));
  return new ToolFailure('SERVER_ERROR', `The MCP server ${deps.server} failed: ${reason}`, {
    retryable: deps.retryable,
    suggestions: [`Look at it with: toolcrib servers logs ${deps.server}`],
  });
};

/** Makes the failure of a server that was given up for a while. */
export const serverResting = (server: string, waitMs: number): ToolFailure =>
  new ToolFailure('CIRCUIT_OPEN', `The MCP server ${server} failed too often and rests.`, {
    retryAfterMs: Math.ceil(waitMs),
    suggestions: [`Look at it with: toolcrib servers logs ${server}`],
  });

export const serverSwitchedOff = (server: string): ToolFailure =>
  new ToolFailure('SERVER_ERROR', `The MCP server ${server} is switched off.`, {
    retryable: false,
    suggestions: [`Switch it on: toolcrib servers enable ${server}`],
  });

/** Makes the failure of calls whose connection was cut for a limit or a message that is too large. */
export const cutOffFailure = (
  {
    failure,
    cut,
  }: { readonly failure?: ToolFailure | undefined; readonly cut?: string | undefined },
  server: string,
): ToolFailure | undefined =>
  failure ??
  (cut === 'message too large'
    ? new ToolFailure(
        'OUTPUT_TOO_LARGE',
        `The MCP server ${server} sent a message that is too large.`,
      )
    : undefined);
