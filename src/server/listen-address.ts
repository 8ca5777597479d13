/** Checks the address that a server listens on, and explains why it cannot. */
import type { Config } from '../config/schema.ts';
import { type ErrorCode, ToolFailure } from '../contract/errors.ts';
import { errorCodeOf } from '../kit/data/reason-of.ts';
import { isLoopbackHost } from '../kit/http/loopback.ts';

/**
 * Checks an address. Throws CONFIG_INVALID for one beyond this machine unless names and TLS are
 * configured.
 */
export const assertReachable = (
  host: string,
  { allowedHosts, behindTls }: Config['server'],
): void => {
  // Other machines could try tokens, and without TLS read them on the network.
  if (isLoopbackHost(host) || (allowedHosts.length > 0 && behindTls)) return;
  throw new ToolFailure('CONFIG_INVALID', 'This address can be reached from other machines.', {
    suggestions: [
      'Listen on 127.0.0.1, or put a proxy that speaks TLS in front of the server (docs/deploy.md).',
      'Then set server.behindTls to true and name the hosts it is called by in server.allowedHosts.',
    ],
  });
};

const LISTEN_FAULTS: Readonly<Record<string, readonly [ErrorCode, string, string]>> = {
  EADDRINUSE: [
    'CONFLICT',
    'The port is in use by another program.',
    'End that program, or choose another port: --port, or server.port.',
  ],
  EACCES: [
    'CONFIG_INVALID',
    'This user may not listen on the port.',
    'Choose a port from 1024 up, and let a proxy serve the others.',
  ],
  EADDRNOTAVAIL: [
    'CONFIG_INVALID',
    'This machine has no such address.',
    'Name an address of this machine: --host, or server.host.',
  ],
};

/** Explains an error of the system about an address; returns other errors unchanged. */
export const listenFault = (error: unknown): unknown => {
  const code = String(errorCodeOf(error));
  const fault = Object.hasOwn(LISTEN_FAULTS, code) ? LISTEN_FAULTS[code] : undefined;
  return fault ? new ToolFailure(fault[0], fault[1], { suggestions: [fault[2]] }) : error;
};
