/**
 * Gives every host one spelling. The URL parser has already turned odd digits, percent signs, case
 * and number forms into plain text; trailing dots, brackets and odd characters are handled here.
 */
import { isIP } from 'node:net';

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const MAX_NAME_LENGTH = 253;

/** Gives the host of a parsed URL as a name or a bare address; `undefined` if none can exist. */
export const normalHost = (hostname: string): string | undefined => {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.toLowerCase();
  if (isIP(bare) !== 0) return bare;
  const name = bare.endsWith('.') ? bare.slice(0, -1) : bare;
  const fits =
    name.length <= MAX_NAME_LENGTH && name.split('.').every((label) => LABEL.test(label));
  return fits ? name : undefined;
};

/** Gives the port of a URL, explicit or not. */
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

/** Writes `host:port` as approvals and refusals compare it; addresses of version 6 in brackets. */
export const hostAndPort = ({ host, port }: Destination): string =>
  isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
