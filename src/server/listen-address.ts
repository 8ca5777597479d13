/** On which address the server may listen, and what to say when it cannot. */
import type { Config } from '../config/schema.ts';
import { isLoopbackHost } from '../config/sections/server.ts';
import { type ErrorCode, ToolFailure } from '../contract/errors.ts';
import { errorCodeOf } from '../kit/data/reason-of.ts';

/** Throws CONFIG_INVALID for an address beyond this machine unless names and TLS are configured. */
export const assertReachable = (
  host: string,
  { allowedHosts, behindTls }: Config['server'],
): void => {
  // Whoever can reach the server could try its tokens, and in plain text anybody could read them.
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

/** What the system says about an address, in words. */
export const listenFault = (error: unknown): unknown => {
  const code = String(errorCodeOf(error));
  const known = Object.hasOwn(LISTEN_FAULTS, code) ? LISTEN_FAULTS[code] : undefined;
  return known ? new ToolFailure(known[0], known[1], { suggestions: [known[2]] }) : error;
};
