/**
 * Refuses requests that were not meant for this server: another Host (DNS rebinding), a page of
 * another origin, or a header given twice, of which two programs might believe a different one.
 */
import type { HttpRequest } from './http-request.ts';

export interface OriginOptions {
  /** Host names, without a port, besides those of this machine. */
  readonly hosts?: readonly string[];
  /** Origins of pages that may call, e.g. `https://ops.example.com`. */
  readonly origins?: readonly string[];
  /** The URL that clients outside this machine use. */
  readonly publicUrl?: string;
  /**
   * Lets pages of this machine call whatever their port. Only for servers without cookies, whose
   * callers send a token with each request: developers open such pages on ports of their choice.
   */
  readonly anyLocalPort?: boolean;
}

export type OriginFault = 'ambiguous' | 'host' | 'origin';

export interface OriginCheck {
  /** Returns why the request is refused; nothing when its origin is allowed. */
  refuse(request: HttpRequest): OriginFault | undefined;
  /** Says whether the origin was configured, and therefore gets CORS headers. */
  isConfigured(origin: string): boolean;
}

export const ORIGIN_MESSAGES: Readonly<Record<OriginFault, string>> = {
  ambiguous: 'A header is given twice.',
  host: 'The Host of the request is not allowed here.',
  origin: 'The Origin of the request is not allowed here.',
};

/** Narrower than `isLoopback`: pages at another address of 127/8 may belong to another program. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
/** A name or an address, and a port; nothing that a URL parser would have to repair. */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::\d{1,5})?$/;
const LOCAL_ORIGIN = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;

const originOf = (url: string): string | undefined => {
  try {
    const { origin } = new URL(url);
    return origin === 'null' ? undefined : origin;
  } catch {
    return undefined;
  }
};

const configuredOrigins = ({ origins = [] }: OriginOptions): ReadonlySet<string> =>
  new Set(
    origins.map((each) => {
      const origin = originOf(each);
      if (origin === undefined) throw new TypeError('An origin is a scheme, a host and a port.');
      return origin;
    }),
  );

const allowedHosts = (hosts: readonly string[], published: URL | undefined): ReadonlySet<string> =>
  new Set(
    [...LOOPBACK, ...hosts, ...(published ? [published.hostname] : [])].map((host) =>
      host.toLowerCase(),
    ),
  );

/** Makes the check. Throws when a configured origin or the public URL cannot be parsed. */
export const createOriginCheck = (options: OriginOptions): OriginCheck => {
  const published = options.publicUrl === undefined ? undefined : new URL(options.publicUrl);
  const hosts = allowedHosts(options.hosts ?? [], published);
  const configured = configuredOrigins(options);
  const isOwn = (origin: string, host: string): boolean =>
    origin === `http://${host}` ||
    origin === `https://${host}` ||
    origin === published?.origin ||
    (options.anyLocalPort === true && LOCAL_ORIGIN.test(origin));
  const isHost = (host: string): boolean => {
    const [, name] = HOST.exec(host) ?? [];
    return name !== undefined && hosts.has(name);
  };
  /** Nearly all requests name the same host, which is checked once. */
  let lastGood = '';
  return {
    refuse(request) {
      if (request.isAmbiguous()) return 'ambiguous';
      const sent = request.header('host') ?? '';
      const host = sent === lastGood ? sent : sent.toLowerCase();
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
