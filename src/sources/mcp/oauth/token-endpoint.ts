/** Renews and revokes tokens, and turns errors of a login into failures. Repeats no text of the login server. */
import type { FetchLike } from '@modelcontextprotocol/client';
import { ToolFailure } from '../../../contract/errors.ts';
import type { AuthRecord } from './auth-record.ts';
import { assertSecureAddress } from './bounded-fetch.ts';
import { clientInformation, storedTokens } from './login-flow.ts';

export type Refreshed =
  | { readonly outcome: 'done'; readonly record: AuthRecord }
  /** A person has to log in again. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** May succeed later. */
  | { readonly outcome: 'failed'; readonly reason: string };

/** The error codes that mean that the tokens are no longer valid (RFC 6749 §5.2). */
const FINAL = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client', 'invalid_scope']);

const codeOf = (error: unknown): string => {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? code : '';
};

/** Refreshes tokens. Never throws. */
export const refreshTokens = async (
  record: AuthRecord,
  { fetchFn, now }: { readonly fetchFn: FetchLike; readonly now: number },
): Promise<Refreshed> => {
  const refreshToken = record.tokens?.refresh;
  if (refreshToken === undefined) return { outcome: 'refused', reason: 'the login has run out' };
  const { refreshAuthorization } = await import('@modelcontextprotocol/client');
  try {
    const tokens = await refreshAuthorization(record.authorizationServer, {
      metadata: record.metadata,
      clientInformation: clientInformation(record.client),
      refreshToken,
      ...(record.resource !== undefined && { resource: record.resource }),
      fetchFn,
    });
    const { trouble: _settled, ...rest } = record;
    return { outcome: 'done', record: { ...rest, tokens: storedTokens(tokens, now) } };
  } catch (error) {
    const code = codeOf(error);
    if (FINAL.has(code)) {
      return { outcome: 'refused', reason: `the login server refused to renew it (${code})` };
    }
    return { outcome: 'failed', reason: 'the login server could not be asked' };
  }
};

/** Revokes tokens (RFC 7009). Never throws: the tokens are deleted here in any case. */
export const revokeTokens = async (
  { metadata, tokens, client }: AuthRecord,
  fetchFn: FetchLike,
): Promise<void> => {
  const endpoint = metadata.revocation_endpoint;
  const token = tokens?.refresh ?? tokens?.access;
  if (endpoint === undefined || token === undefined) return;
  try {
    await fetchFn(assertSecureAddress('revocation endpoint', endpoint), {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        token,
        client_id: client.id,
        ...(client.secret !== undefined && { client_secret: client.secret }),
      }),
    });
  } catch {
    // Nothing more can be done.
  }
};

const ISSUER = new Set(['IssuerMismatchError', 'AuthorizationServerMismatchError']);

export const loginFailure = (thrown: unknown): ToolFailure => {
  if (thrown instanceof ToolFailure) return thrown;
  const error = thrown instanceof Error ? thrown : new Error('unknown');
  if (ISSUER.has(error.name)) {
    return new ToolFailure('SECURITY_VIOLATION', 'The login server answers for another issuer.', {
      suggestions: ['Ask whoever runs the server; no code was redeemed and no token kept.'],
    });
  }
  const code = codeOf(error);
  if (code !== '') {
    return new ToolFailure('SERVER_ERROR', `The login server refused the login (${code}).`, {
      suggestions: ['Log out and in again: that registers this program afresh.'],
    });
  }
  if (error instanceof TypeError || error.name === 'TimeoutError') {
    return new ToolFailure('NETWORK', 'The login server could not be reached.', {
      suggestions: ['Check the address of the server and your network, then try again.'],
    });
  }
  return new ToolFailure('SERVER_ERROR', 'The login server does not keep to the protocol.', {
    suggestions: ['Ask whoever runs the server which kind of login it offers.'],
  });
};
