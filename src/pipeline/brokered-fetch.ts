/** The fetch a tool is handed: only the hosts it declared, checked again on every redirect. */
import type { Call } from '../contract/call.ts';
import { ToolFailure } from '../contract/errors.ts';
import { refuseUrl } from '../governance/host-allowlist.ts';

const MAX_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const assertAllowed = (url: URL, hosts: readonly string[]): void => {
  const refusal = refuseUrl(url, hosts);
  if (refusal === undefined) return;
  throw new ToolFailure('PERMISSION_DENIED', `The request was refused: ${refusal}.`, {
    suggestions: ['Add the host to needs.hosts of the tool.'],
  });
};

/** What the next hop is asked; a 303, and a 301 or 302 after a POST, turn into a GET. */
const nextHop = (request: Request, status: number, target: URL): Request => {
  const toGet = status === 303 || (status < 303 && request.method === 'POST');
  const headers = new Headers(request.headers);
  if (new URL(request.url).origin !== target.origin) {
    for (const name of ['authorization', 'cookie', 'proxy-authorization']) headers.delete(name);
  }
  if (!toGet) {
    return new Request(target, { ...pick(request), headers, body: null });
  }
  headers.delete('content-type');
  headers.delete('content-length');
  return new Request(target, { ...pick(request), method: 'GET', headers });
};

const pick = (request: Request): { method: string; signal: AbortSignal; redirect: 'manual' } => ({
  method: request.method,
  signal: request.signal,
  redirect: 'manual',
});

export const brokeredFetch = (
  call: Call<'ready'>,
  fetch: typeof globalThis.fetch,
): typeof globalThis.fetch => {
  const hosts = call.ready.tool.needs?.hosts ?? [];
  return async (input, init) => {
    let request = new Request(input, {
      ...init,
      redirect: 'manual',
      signal: init?.signal ?? call.control.signal,
    });
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const url = new URL(request.url);
      assertAllowed(url, hosts);
      call.notes.resources ??= new Set();
      call.notes.resources.add(url.origin);
      const hasBody = request.body !== null;
      const response = await fetch(request);
      const location = response.headers.get('location');
      if (!REDIRECTS.has(response.status) || location === null) return response;
      if (hasBody && response.status >= 307) return response;
      request = nextHop(request, response.status, new URL(location, url));
    }
    throw new ToolFailure('NETWORK', 'The request was redirected too often.');
  };
};
