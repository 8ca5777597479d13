/** Computes the request that follows a redirect. */
import { ToolFailure } from '../../contract/errors.ts';
import type { OutgoingRequest } from './outgoing-request.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * What may follow to another origin. Keys and tokens travel in headers of any name, so this is a
 * list of what stays, not of what is taken out.
 */
const KEPT_ACROSS_ORIGINS: readonly string[] = [
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-language',
  'content-type',
  'if-modified-since',
  'if-none-match',
  'pragma',
  'range',
  'user-agent',
];

const BODY_HEADERS: readonly string[] = [
  'content-encoding',
  'content-language',
  'content-location',
  'content-type',
];

const becomesGet = (method: string, status: number): boolean =>
  status === 303 ? method !== 'GET' && method !== 'HEAD' : status < 303 && method === 'POST';

const targetOf = (location: string, from: URL): URL => {
  if (!URL.canParse(location, from.href)) {
    throw new ToolFailure('NETWORK', 'The remote host redirects to something that is no URL.');
  }
  const target = new URL(location, from);
  if (from.protocol === 'https:' && target.protocol === 'http:') {
    throw new ToolFailure(
      'SECURITY_VIOLATION',
      'The request was refused: a redirect leads from https to http.',
      { suggestions: ['Ask for the final address over https.'] },
    );
  }
  return target;
};

const headersFor = (request: OutgoingRequest, target: URL, toGet: boolean): Headers => {
  const crosses = request.url.origin !== target.origin;
  return new Headers(
    [...request.headers].filter(
      ([name]) =>
        !(crosses && !KEPT_ACROSS_ORIGINS.includes(name)) &&
        !(toGet && BODY_HEADERS.includes(name)),
    ),
  );
};

/**
 * Gives the request after a redirect, by the Fetch standard and some stricter rules of ours;
 * `undefined` when the response is the last: no redirect, not wanted, or its body cannot be sent
 * again.
 */
export const nextHop = (
  request: OutgoingRequest,
  response: { readonly status: number; readonly location: string | null },
): OutgoingRequest | undefined => {
  const { status, location } = response;
  if (!REDIRECTS.has(status) || location === null) return undefined;
  if (request.redirect === 'manual') return undefined;
  if (request.redirect === 'error') {
    throw new ToolFailure(
      'NETWORK',
      'The remote host answered with a redirect, which the tool does not follow.',
      { suggestions: ['Use the address it redirects to.'] },
    );
  }
  const toGet = becomesGet(request.method, status);
  if (!toGet && request.body instanceof ReadableStream) return undefined;
  const url = targetOf(location, request.url);
  const headers = headersFor(request, url, toGet);
  return toGet
    ? { ...request, url, headers, method: 'GET', body: null }
    : { ...request, url, headers };
};
