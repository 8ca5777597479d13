/**
 * One spelling for every host. The URL parser has already turned odd digits, percent signs, case and
 * number forms into plain text; what it leaves open (trailing dot, brackets, odd signs) ends here.
 */
import { isIP } from 'node:net';

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const MAX_NAME_LENGTH = 253;

/** The host of a parsed URL as a name or a bare address; nothing when no such host can exist. */
export const normalHost = (hostname: string): string | undefined => {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.toLowerCase();
  if (isIP(bare) !== 0) return bare;
  const name = bare.endsWith('.') ? bare.slice(0, -1) : bare;
  const fits =
    name.length <= MAX_NAME_LENGTH && name.split('.').every((label) => LABEL.test(label));
  return fits ? name : undefined;
};

/** The port a URL leads to, said or unsaid. */
export const portOf = (url: { readonly protocol: string; readonly port: string }): number => {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
};

/** Where a request goes: a name or the address the URL itself names, and the port. */
export interface Destination {
  readonly host: string;
  readonly port: number;
}

export const destinationOf = (url: URL): Destination | undefined => {
  const host = normalHost(url.hostname);
  return host === undefined ? undefined : { host, port: portOf(url) };
};

/** `host:port` as approvals and refusals compare it; addresses of version 6 in brackets. */
export const hostAndPort = ({ host, port }: Destination): string =>
  isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
