/**
 * Resolves a name once and checks every answer. What it returns is what the connection is made to,
 * so an answer that changes between check and use is never asked for.
 */
import { isIP } from 'node:net';
import { ToolFailure } from '../../contract/errors.ts';
import { compileHosts, NO_HOST } from './host-rule.ts';
import { type AddressRules, type Refusal, refuseAddress, refuseDestination } from './judge-url.ts';
import { type Destination, hostAndPort, normalHost } from './normal-host.ts';

/** All addresses of a name, as texts. Rejects when there are none. */
export type Lookup = (host: string) => Promise<readonly string[]>;

export interface CheckedAddress {
  readonly address: string;
  readonly family: number;
}

export interface ResolveDeps {
  readonly lookup: Lookup;
  readonly rules: AddressRules;
  readonly timeoutMs: number;
}

export const refusalFailure = ({
  code,
  reason,
  suggestion,
}: Omit<Refusal, 'allowed'>): ToolFailure =>
  new ToolFailure(code, `The request was refused: ${reason}.`, { suggestions: [suggestion] });

export const systemLookup: Lookup = async (host) => {
  const { lookup } = await import('node:dns/promises');
  const answers = await lookup(host, { all: true });
  return answers.map(({ address }) => address);
};

const notResolved = (): ToolFailure =>
  new ToolFailure('NETWORK', 'The name of the host could not be resolved.', {
    suggestions: ['Check the host name and the network.'],
  });

/** Looks a name up. getaddrinfo cannot be stopped, so a silent name server is abandoned. */
const answersOf = ({ lookup, timeoutMs }: ResolveDeps, host: string): Promise<readonly string[]> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new ToolFailure('TIMEOUT', 'The name of the host was not resolved in time.'));
    }, timeoutMs);
    const settle = (done: () => void): void => {
      clearTimeout(timer);
      done();
    };
    Promise.resolve(host)
      .then(lookup)
      .then(
        (answers) => settle(() => resolve(answers)),
        () => settle(() => reject(notResolved())),
      );
  });

/** Refuses a name with one blocked answer; beside good ones that is an attack. */
const checkAnswers = (to: Destination, answers: readonly string[], rules: AddressRules): void => {
  const refusals = answers
    .map((address) => refuseAddress(to, address, rules))
    .filter((refusal) => refusal !== undefined);
  const [first] = refusals;
  if (first === undefined) return;
  const worst = refusals.find(({ code }) => code === 'SECURITY_VIOLATION') ?? first;
  const mixed = refusals.length < answers.length;
  throw refusalFailure(mixed ? { ...worst, code: 'SECURITY_VIOLATION' } : worst);
};

/** Gives the addresses to connect to. Fails with the reason when one may not be reached. */
export const resolveChecked = async (
  to: Destination,
  deps: ResolveDeps,
): Promise<readonly CheckedAddress[]> => {
  const answers = isIP(to.host) === 0 ? await answersOf(deps, to.host) : [to.host];
  if (answers.length === 0) throw notResolved();
  checkAnswers(to, answers, deps.rules);
  return answers.map((address) => ({ address, family: isIP(address) }));
};

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

/**
 * Resolves a host for a protocol other than HTTP, under the rules for requests. Fails with the
 * reason when the host is not declared, or any of its addresses may not be reached.
 */
export const resolveDestination = async (
  requested: Destination,
  { hosts, onHop }: Scope,
  { rules, resolve }: Deps,
): Promise<string> => {
  const to = destination(requested);
  const refusal = refuseDestination(to, compileHosts(hosts), rules);
  if (refusal) throw refusalFailure(refusal);
  onHop(new URL(`tcp://${hostAndPort(to)}`));
  const [first] = await resolve(to);
  if (first === undefined) throw refusalFailure(UNUSABLE);
  return first.address;
};
