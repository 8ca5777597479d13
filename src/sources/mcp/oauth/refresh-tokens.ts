/** New tokens for old: tells a server that refuses from one that cannot be reached. */
import type { FetchLike } from '@modelcontextprotocol/client';
import type { AuthRecord } from './auth-record.ts';
import { clientInformation, keptTokens } from './login-flow.ts';

export type Refreshed =
  | { readonly outcome: 'done'; readonly record: AuthRecord }
  /** Only a person can help. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** Worth another try later. */
  | { readonly outcome: 'failed'; readonly reason: string };

/** What the authorization server may answer when the tokens are no good any more (RFC 6749 §5.2). */
const FINAL = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client', 'invalid_scope']);

const codeOf = (error: unknown): string => {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? code : '';
};

/** Never throws. */
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
      resource: record.resource,
      fetchFn,
    });
    const { trouble: _settled, ...rest } = record;
    return { outcome: 'done', record: { ...rest, tokens: keptTokens(tokens, now) } };
  } catch (error) {
    const code = codeOf(error);
    // What the other side wrote beside its code is not repeated: it is a stranger's text.
    if (FINAL.has(code)) {
      return { outcome: 'refused', reason: `the login server refused to renew it (${code})` };
    }
    return { outcome: 'failed', reason: 'the login server could not be asked' };
  }
};
