/**
 * Reads the hosts that a tool declares, matches them label by label, never by suffix, and checks
 * scheme and port of a URL.
 */
import { isIP } from 'node:net';
import { BAD_PORTS } from './address-ranges.ts';
import { type Destination, normalHost, portOf } from './normal-host.ts';

/** One declared pattern, ready to compare. Without a port it holds for every port. */
export interface HostRule {
  readonly kind: 'any' | 'below' | 'exact';
  readonly host: string;
  readonly port: number | undefined;
}

/** A host, or an address in brackets, and perhaps a port. */
const PARTS = /^(\[[^[\]]+\]|[^:[\]]+)(?::(\d{1,5}))?$/;
/** What the URL parser would take out, decode or read as another part of a URL. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const NOT_HOST = /[\u0000-\u0020\u007f/?#@\\%]/;
const MAX_PORT = 65_535;

const parsedHost = (text: string): string | undefined => {
  const address = `http://${text}/`;
  return URL.canParse(address) ? normalHost(new URL(address).hostname) : undefined;
};

const ruleFor = (host: string, port: number | undefined): HostRule | undefined => {
  if (host === '*') return { kind: 'any', host, port };
  const below = host.startsWith('*.');
  const normal = parsedHost(below ? host.slice(2) : host);
  // Nothing lies below an address: `*.1` would be read as one.
  if (normal === undefined || (below && isIP(normal) !== 0)) return undefined;
  return { kind: below ? 'below' : 'exact', host: normal, port };
};

/** Reads `host`, `*.host` or `*`, each with or without `:port`. Nothing when it is none of these. */
export const compileHost = (pattern: string): HostRule | undefined => {
  const text = isIP(pattern) === 6 ? `[${pattern}]` : pattern;
  const [, host, digits] = (NOT_HOST.test(text) ? null : PARTS.exec(text)) ?? [];
  if (host === undefined) return undefined;
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && (port === 0 || port > MAX_PORT)) return undefined;
  return ruleFor(host, port);
};

/** Reads patterns; one that cannot be read allows nothing. */
export const compileHosts = (patterns: readonly string[]): readonly HostRule[] =>
  patterns.map(compileHost).filter((rule) => rule !== undefined);

export const matchesHost = (rule: HostRule, { host, port }: Destination): boolean => {
  if (rule.port !== undefined && rule.port !== port) return false;
  if (rule.kind === 'any') return true;
  if (rule.kind === 'exact') return rule.host === host;
  return host.endsWith(`.${rule.host}`);
};

/** Why not, and what to do about it. */
export interface Objection {
  readonly reason: string;
  readonly suggestion: string;
}

/** Says what is wrong with a URL regardless of its host. */
export const objectToShape = (url: URL): Objection | undefined => {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { reason: 'only http and https are allowed', suggestion: 'Use an https URL.' };
  }
  if (url.username !== '' || url.password !== '') {
    return {
      reason: 'credentials in URLs are refused',
      suggestion: 'Send credentials in a header, from a declared secret.',
    };
  }
  return BAD_PORTS.includes(portOf(url))
    ? { reason: 'the port belongs to another protocol', suggestion: 'Use another port.' }
    : undefined;
};

export const objectToHost = (
  to: Destination,
  rules: readonly HostRule[],
): Objection | undefined => {
  if (rules.some((rule) => matchesHost(rule, to))) return undefined;
  const what =
    isIP(to.host) === 0 ? 'the host is not among those' : 'the address is not among those';
  return {
    reason: `${what} the tool declared`,
    suggestion: 'Add the host to needs.hosts of the tool.',
  };
};

export const NO_HOST: Objection = {
  reason: 'it is no absolute URL with a valid host',
  suggestion: 'Give a full URL such as https://api.example.com/path.',
};
