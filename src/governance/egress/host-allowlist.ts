/** Checks URLs by a tool's own declaration: scheme, port, and the hosts it named. */
import { isIP } from 'node:net';
import { BAD_PORTS } from './address-ranges.ts';
import { compileHosts, type HostRule, matchesHost } from './host-rule.ts';
import { type Destination, destinationOf, portOf } from './normal-host.ts';

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

/** Says why a URL may not be fetched by a tool with these hosts, or nothing when it may. */
export const refuseUrl = (url: URL, hosts: readonly string[]): string | undefined => {
  const to = destinationOf(url);
  const objection = objectToShape(url) ?? (to ? objectToHost(to, compileHosts(hosts)) : NO_HOST);
  return objection?.reason;
};
