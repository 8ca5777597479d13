/** Turns what went wrong with a server into a failure of the table. Its words are cut and redacted. */
import { ToolFailure } from '../../contract/errors.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';

const MAX_REASON = 500;

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

/** A person has to log in. */
export const isLoginNeeded = (error: unknown): boolean =>
  (error instanceof ToolFailure && error.code === 'AUTH_MISSING') ||
  nameOf(error) === 'UnauthorizedError' ||
  codeOf(error) === 'CLIENT_HTTP_AUTHENTICATION';

/** The way to the server is gone, as opposed to an answer that says no. */
export const isConnectionLost = (error: unknown): boolean => {
  const code = codeOf(error);
  return code === 'CONNECTION_CLOSED' || code === 'NOT_CONNECTED' || code === 'SEND_FAILED';
};

/** The peer is of the older kind that knows only the event stream. */
export const isNoSuchTransport = (error: unknown): boolean => {
  const status =
    typeof error === 'object' && error !== null && 'data' in error
      ? (error.data as { status?: unknown } | undefined)?.status
      : undefined;
  return status === 404 || status === 405;
};

export const shortReasonOf = (error: unknown): string => reasonOf(error).slice(0, MAX_REASON);

export const loginNeeded = (server: string): ToolFailure =>
  new ToolFailure('AUTH_MISSING', `The MCP server ${server} wants a login.`, {
    suggestions: [`Log in with: toolcrib servers login ${server}`],
  });

/** What a login has to ask for, as the server names it; nothing where it could be more than a name. */
const SCOPES = /^[\w:./ -]{1,300}$/;

const scopeNeeded = (error: unknown, server: string): ToolFailure | undefined => {
  if (!(error instanceof Error) || !('requiredScope' in error)) return undefined;
  const named = String(error.requiredScope);
  const scope = SCOPES.test(named) ? named : '<scopes>';
  return new ToolFailure('AUTH_MISSING', `The login to the MCP server ${server} is not enough.`, {
    suggestions: [`Log in for more: toolcrib servers login ${server} --scope '${scope}'`],
  });
};

export interface FailureDeps {
  readonly server: string;
  /** Whether the same call may be sent again without harm. */
  readonly retryable: boolean;
  redact(text: string): string;
}

export const serverFailure = (error: unknown, deps: FailureDeps): ToolFailure => {
  if (isLoginNeeded(error)) return error instanceof ToolFailure ? error : loginNeeded(deps.server);
  if (error instanceof ToolFailure) return error;
  const lacking = scopeNeeded(error, deps.server);
  if (lacking) return lacking;
  const reason = deps.redact(shortReasonOf(error));
  return new ToolFailure('SERVER_ERROR', `The MCP server ${deps.server} failed: ${reason}`, {
    retryable: deps.retryable,
    suggestions: [`Look at it with: toolcrib servers logs ${deps.server}`],
  });
};
