/** Reads a declared host pattern, and matches it label by label, never by suffix. */
import { isIP } from 'node:net';
import { type Destination, normalHost } from './normal-host.ts';

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
