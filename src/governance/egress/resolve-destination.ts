/**
 * Where to connect to by a protocol other than HTTP: the host is judged by the same rules as a
 * request, its name resolved once, and what is returned is an address that was checked.
 */

import { NO_HOST } from './host-allowlist.ts';
import { compileHosts } from './host-rule.ts';
import { type AddressRules, type Refusal, refuseDestination } from './judge-url.ts';
import { type Destination, hostAndPort, normalHost } from './normal-host.ts';
import { type CheckedAddress, refusalFailure } from './resolve-checked.ts';

interface Scope {
  readonly hosts: readonly string[];
  onHop(url: URL): void;
}

interface Deps {
  readonly rules: AddressRules;
  resolve(to: Destination): Promise<readonly CheckedAddress[]>;
}

const MAX_PORT = 65_535;

const UNUSABLE: Omit<Refusal, 'allowed'> = { ...NO_HOST, code: 'VALIDATION_ERROR' };

const destination = ({ host, port }: Destination): Destination => {
  const normal = normalHost(host);
  const isPort = Number.isInteger(port) && port > 0 && port <= MAX_PORT;
  if (normal === undefined || !isPort) throw refusalFailure(UNUSABLE);
  return { host: normal, port };
};

/** Fails with the reason when the host is not declared, or any of its addresses may not be reached. */
export const resolveDestination = async (
  wanted: Destination,
  { hosts, onHop }: Scope,
  { rules, resolve }: Deps,
): Promise<string> => {
  const to = destination(wanted);
  const refusal = refuseDestination(to, compileHosts(hosts), rules);
  if (refusal) throw refusalFailure(refusal);
  onHop(new URL(`tcp://${hostAndPort(to)}`));
  const [first] = await resolve(to);
  if (first === undefined) throw refusalFailure(UNUSABLE);
  return first.address;
};
