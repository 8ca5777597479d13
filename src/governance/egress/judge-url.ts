/**
 * Judges whether a tool may request a URL, as far as that is possible without the network: scheme,
 * port, host name and literal addresses. Policy, dry runs and every hop of a request use it.
 */
import { isIP } from 'node:net';
import type { ErrorCode } from '../../contract/errors.ts';
import { type AddressJudge, createAddressJudge } from './address-judge.ts';
import {
  compileHosts,
  type HostRule,
  NO_HOST,
  type Objection,
  objectToHost,
  objectToShape,
} from './host-rule.ts';
import { isMetadataName } from './metadata-services.ts';
import { type Destination, destinationOf, hostAndPort } from './normal-host.ts';
import { createPrivateAllowlist, type PrivateAllowlist } from './private-allowlist.ts';

/** Its reason follows "The request was refused:". */
export interface Refusal extends Objection {
  readonly allowed: false;
  readonly code: Extract<
    ErrorCode,
    'VALIDATION_ERROR' | 'PERMISSION_DENIED' | 'SECURITY_VIOLATION'
  >;
}

export type UrlVerdict =
  /** `url` is the one to ask for: its host has the spelling that was judged. */
  | {
      readonly allowed: true;
      readonly url: URL;
      readonly to: Destination;
      readonly target: string;
    }
  | Refusal;

/** What the configuration says about addresses, compiled once. */
export interface AddressRules {
  readonly judge: AddressJudge;
  readonly allowsPrivate: PrivateAllowlist;
}

export const createAddressRules = (allowPrivate: readonly string[] = []): AddressRules => ({
  judge: createAddressJudge(),
  allowsPrivate: createPrivateAllowlist(allowPrivate),
});

const OPEN_IT = 'If this is meant, name the host or its network in egress.allowPrivate.';
const LEAVE_IT = 'Leave this address alone: no setting opens it.';

const refuse = (code: Refusal['code'], { reason, suggestion }: Objection): Refusal => ({
  allowed: false,
  code,
  reason,
  suggestion,
});

/** Says why an address may not be connected to; `undefined` when it may. */
export const refuseAddress = (
  to: Destination,
  address: string,
  { judge, allowsPrivate }: AddressRules,
): Refusal | undefined => {
  const { kind, what } = judge(address);
  if (kind === 'public') return undefined;
  if (kind === 'metadata') {
    return refuse('SECURITY_VIOLATION', {
      reason: 'it leads to a cloud metadata service',
      suggestion: LEAVE_IT,
    });
  }
  if (allowsPrivate(to, address)) return undefined;
  return refuse('PERMISSION_DENIED', {
    reason: `it leads to an address that is ${what}`,
    suggestion: OPEN_IT,
  });
};

/** Judges names that need no lookup. */
const refuseName = (to: Destination, rules: AddressRules): Refusal | undefined => {
  if (isMetadataName(to.host)) {
    return refuse('SECURITY_VIOLATION', {
      reason: 'it names a cloud metadata service',
      suggestion: LEAVE_IT,
    });
  }
  const isLocal = to.host === 'localhost' || to.host.endsWith('.localhost');
  return isLocal ? refuseAddress(to, '127.0.0.1', rules) : undefined;
};

/** Says why a tool with these hosts may not reach a destination, as far as its spelling tells. */
export const refuseDestination = (
  to: Destination,
  hosts: readonly HostRule[],
  rules: AddressRules,
): Refusal | undefined => {
  const undeclared = objectToHost(to, hosts);
  if (undeclared) return refuse('PERMISSION_DENIED', undeclared);
  return isIP(to.host) === 0 ? refuseName(to, rules) : refuseAddress(to, to.host, rules);
};

/** Gives the URL the host spelling that everything compares: no trailing dot on the wire either. */
const respelt = (url: URL, { host }: Destination): URL => {
  const copy = new URL(url);
  if (isIP(host) === 0) copy.hostname = host;
  return copy;
};

/** Creates the judge of one tool's requests: its hosts are read once. */
export const createUrlJudge =
  (hosts: readonly HostRule[], rules: AddressRules) =>
  (text: string): UrlVerdict => {
    if (!URL.canParse(text)) return refuse('VALIDATION_ERROR', NO_HOST);
    const url = new URL(text);
    const shape = objectToShape(url);
    if (shape) return refuse('PERMISSION_DENIED', shape);
    const to = destinationOf(url);
    if (to === undefined) return refuse('VALIDATION_ERROR', NO_HOST);
    const refusal = refuseDestination(to, hosts, rules);
    return refusal ?? { allowed: true, url: respelt(url, to), to, target: hostAndPort(to) };
  };

/** Judges one URL without the network: names are judged by their text alone. */
export const judgeUrl = (
  url: string | URL,
  hosts: readonly string[],
  settings: { readonly allowPrivate?: readonly string[] } = {},
): UrlVerdict =>
  createUrlJudge(compileHosts(hosts), createAddressRules(settings.allowPrivate))(String(url));

/** Gives `host:port` in the compared spelling; `undefined` for a URL that is never requested. */
export const resolveTarget = (url: string | URL): string | undefined => {
  const text = String(url);
  if (!URL.canParse(text)) return undefined;
  const parsed = new URL(text);
  const to = objectToShape(parsed) ? undefined : destinationOf(parsed);
  return to && hostAndPort(to);
};
