/** The fetch of a login: safe addresses only, and every answer is bounded in size and time. */
import type { FetchLike } from '@modelcontextprotocol/client';
import { ToolFailure } from '../../../contract/errors.ts';
import { isLoopback } from '../../../kit/http/loopback.ts';
import { parseUrl } from '../../../kit/http/parse-url.ts';

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

/** Throws for an address on this machine that a remote server names. */
const assertAllowed = (address: string | URL, server: string): void => {
  const url = assertSecureAddress('address that the server names for its login', String(address));
  if (!isLoopback(url) || isLoopback(new URL(server))) return;
  throw new ToolFailure('SECURITY_VIOLATION', 'The server names this machine for its login.');
};

/** Wraps a fetch. `server` is the address that the login is for. */
export const boundedFetch =
  (fetchFn: typeof fetch, server: string): FetchLike =>
  async (url, init = {}) => {
    assertAllowed(url, server);
    const limit = AbortSignal.timeout(MAX_MS);
    const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
    const response = await fetchFn(url, { ...init, signal });
    const { status, statusText, headers } = response;
    // The answer to the probe for a login may be an endless stream.
    if (headers.get('content-type')?.startsWith('text/event-stream')) {
      await response.body?.cancel();
      return new Response(null, { status: 204, headers });
    }
    const isBare = status === 204 || status === 205 || status === 304;
    const body = await bodyOf(response);
    const copy = new Response(isBare ? null : body, { status, statusText, headers });
    // The SDK judges redirects by the address of the answer.
    Object.defineProperty(copy, 'url', { value: response.url });
    Object.defineProperty(copy, 'redirected', { value: response.redirected });
    return copy;
  };

/**
 * Accepts https, or http on this machine; throws SECURITY_VIOLATION otherwise. The login page that a
 * server names is opened in the browser, where `file:` or the scheme of a program would start something else.
 */
export const assertSecureAddress = (what: string, text: string): URL => {
  const url = parseUrl(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url));
  if (url && isSafe && url.username === '' && url.password === '') return url;
  throw new ToolFailure('SECURITY_VIOLATION', `The ${what} is no safe address.`, {
    suggestions: ['It has to be https, or http on this machine, without a user name in it.'],
  });
};
