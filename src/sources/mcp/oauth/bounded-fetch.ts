/** The fetch of a login: it goes to safe addresses only, and every answer is small and ends in time. */
import type { FetchLike } from '@modelcontextprotocol/client';
import { ToolFailure } from '../../../contract/errors.ts';
import { assertSecureAddress, isLoopback } from './secure-address.ts';

const MAX_BYTES = 256 * 1024;
const MAX_MS = 30_000;

const tooLarge = (): ToolFailure =>
  new ToolFailure('SERVER_ERROR', 'The answer to a login request is too large.');

const bodyOf = async (response: Response): Promise<string | null> => {
  if (!response.body) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};

/** A server elsewhere must not have us ask around on this machine. */
const assertAllowed = (address: string | URL, server: string): void => {
  const url = assertSecureAddress('address that the server names for its login', String(address));
  if (!isLoopback(url) || isLoopback(new URL(server))) return;
  throw new ToolFailure('SECURITY_VIOLATION', 'The server names this machine for its login.');
};

/** `server` is the address of the server that the login is for. */
export const boundedFetch =
  (fetchFn: typeof fetch, server: string): FetchLike =>
  async (url, init = {}) => {
    assertAllowed(url, server);
    const limit = AbortSignal.timeout(MAX_MS);
    const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
    const response = await fetchFn(url, { ...init, signal });
    const { status, statusText, headers } = response;
    // An answer to the question whether a login is needed may be a stream without an end.
    if (headers.get('content-type')?.startsWith('text/event-stream')) {
      await response.body?.cancel();
      return new Response(null, { status: 204, headers });
    }
    const isBare = status === 204 || status === 205 || status === 304;
    const body = await bodyOf(response);
    const copy = new Response(isBare ? null : body, { status, statusText, headers });
    // The library judges redirects by where the answer came from.
    Object.defineProperty(copy, 'url', { value: response.url });
    Object.defineProperty(copy, 'redirected', { value: response.redirected });
    return copy;
  };
