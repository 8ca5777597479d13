/**
 * Refuses requests that were not meant for this server: another Host (DNS rebinding) or a page of
 * another origin. A page on another port of this machine is foreign, too.
 */
import type { HttpDeps } from './http-deps.ts';
import type { HttpRequest } from './http-request.ts';

export interface Neighbours {
  /** What is wrong with where the request comes from, if anything is. */
  refuse(request: HttpRequest): 'host' | 'origin' | undefined;
  /** An origin that was configured, and therefore gets CORS headers. */
  isConfigured(origin: string): boolean;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
/** A name or an address, and a port; nothing that a URL parser would have to repair. */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::\d{1,5})?$/;

const originOf = (url: string): string | undefined => {
  try {
    const { origin } = new URL(url);
    return origin === 'null' ? undefined : origin;
  } catch {
    return undefined;
  }
};

/** Throws when a configured origin is none. */
const configuredOrigins = ({ origins = [] }: HttpDeps): ReadonlySet<string> =>
  new Set(
    origins.map((each) => {
      const origin = originOf(each);
      if (origin === undefined) throw new TypeError('An origin is a scheme, a host and a port.');
      return origin;
    }),
  );

export const createNeighbours = (deps: HttpDeps): Neighbours => {
  const published = deps.publicUrl === undefined ? undefined : new URL(deps.publicUrl);
  const hosts = new Set(
    [...LOOPBACK, ...(deps.hosts ?? []), ...(published ? [published.hostname] : [])].map((host) =>
      host.toLowerCase(),
    ),
  );
  const configured = configuredOrigins(deps);
  const isOwn = (origin: string, host: string): boolean =>
    origin === `http://${host}` || origin === `https://${host}` || origin === published?.origin;
  const isHost = (host: string): boolean => {
    const [, name] = HOST.exec(host) ?? [];
    return name !== undefined && hosts.has(name);
  };
  /** Nearly all requests name the same host; it is looked at once. */
  let lastGood = '';
  return {
    refuse(request) {
      const given = request.header('host') ?? '';
      const host = given === lastGood ? given : given.toLowerCase();
      if (host !== lastGood || host === '') {
        if (!isHost(host)) return 'host';
        lastGood = host;
      }
      const origin = request.header('origin');
      if (origin === undefined) return undefined;
      return isOwn(origin.toLowerCase(), host) || configured.has(origin) ? undefined : 'origin';
    },
    isConfigured: (origin) => configured.has(origin),
  };
};
