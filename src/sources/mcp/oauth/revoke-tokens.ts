/** Tells the login server that tokens are not needed any more (RFC 7009). */
import type { FetchLike } from '@modelcontextprotocol/client';
import type { AuthRecord } from './auth-record.ts';
import { assertSecureAddress } from './secure-address.ts';

/** Never throws: whether the other side listens or not, the tokens are forgotten here. */
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
    // Nothing more can be done about it.
  }
};
