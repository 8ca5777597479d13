/**
 * Opens plain connections for programs with protocols of their own: the host has to be declared,
 * its name is resolved once, every answer checked, and one of the checked addresses connected to.
 */
import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { ToolFailure } from '../../contract/errors.ts';
import { compileHosts, type HostRule, matchesHost, NO_HOST } from './host-rule.ts';
import { createAddressRules, createUrlJudge } from './judge-url.ts';
import type { Destination } from './normal-host.ts';
import {
  type CheckedAddress,
  type Lookup,
  refusalFailure,
  resolveChecked,
  systemLookup,
} from './resolve-checked.ts';

export interface CheckedConnectSettings {
  /** Local hosts, addresses and ranges that may be reached. Metadata services never are. */
  readonly allowPrivate?: readonly string[];
  readonly lookup?: Lookup;
  readonly timeoutMs?: number;
}

export type CheckedConnect = (to: Destination, signal: AbortSignal) => Promise<Socket>;

const CONNECT_MS = 10_000;

/** A tunnel carries any protocol, so a port other than the web's has to be declared by number. */
const USUAL_PORTS: readonly number[] = [80, 443];

const assertPort = (to: Destination, hosts: readonly HostRule[]): void => {
  if (USUAL_PORTS.includes(to.port)) return;
  if (hosts.some((rule) => rule.port === to.port && matchesHost(rule, to))) return;
  throw refusalFailure({
    code: 'PERMISSION_DENIED',
    reason: 'the port is not one of the web and was not declared',
    suggestion: 'Declare the host together with its port, as in host:8443.',
  });
};

/** Characters that a URL would take for more than the host. */
const NOT_HOST = /[^\w.:-]/;

const unreachable = (): ToolFailure =>
  new ToolFailure('NETWORK', 'The remote host could not be reached.', {
    suggestions: ['Check that the host is up and the network works.'],
  });

interface Opening {
  readonly answers: readonly CheckedAddress[];
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Connects to one of the addresses. The signal counts until there is a connection. */
const opened = ({ host, port }: Destination, opening: Opening): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const { answers, signal, timeoutMs } = opening;
    const socket = connectSocket({
      host,
      port,
      autoSelectFamily: true,
      allowHalfOpen: true,
      lookup: (_name, _options, done) => done(null, [...answers]),
    });
    const giveUp = (): void => void socket.destroy(unreachable());
    const fail = (): void => {
      signal.removeEventListener('abort', giveUp);
      reject(unreachable());
    };
    socket.once('error', fail);
    socket.setTimeout(timeoutMs, giveUp);
    signal.addEventListener('abort', giveUp);
    if (signal.aborted) giveUp();
    socket.once('connect', () => {
      socket.off('error', fail);
      socket.setTimeout(0);
      socket.removeAllListeners('timeout');
      signal.removeEventListener('abort', giveUp);
      resolve(socket);
    });
  });

/** Creates the connector. Throws `CONFIG_INVALID` for an `allowPrivate` that cannot be read. */
export const createCheckedConnect = (
  settings: CheckedConnectSettings = {},
): ((hosts: readonly string[]) => CheckedConnect) => {
  const { lookup = systemLookup, timeoutMs = CONNECT_MS } = settings;
  const rules = createAddressRules(settings.allowPrivate);
  return (patterns) => {
    const hosts = compileHosts(patterns);
    const judge = createUrlJudge(hosts, rules);
    return async ({ host, port }, signal) => {
      if (NOT_HOST.test(host)) throw refusalFailure({ ...NO_HOST, code: 'VALIDATION_ERROR' });
      const verdict = judge(`https://${isIP(host) === 6 ? `[${host}]` : host}:${port}/`);
      if (!verdict.allowed) throw refusalFailure(verdict);
      const { to } = verdict;
      assertPort(to, hosts);
      const answers = await resolveChecked(to, { lookup, rules, timeoutMs });
      return opened(to, { answers, signal, timeoutMs });
    };
  };
};
