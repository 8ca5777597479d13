/** Tells connections that anyone on the way can read from those that are encrypted or stay on this machine. */
import { isLoopbackHost } from '../../../kit/http/loopback.ts';

/** Tells whether an address is the folder of a socket, or a port of this machine. */
const isLocal = (address: string): boolean => {
  const [, host = ''] = /^(.+?):\d+\//.exec(address) ?? [];
  return address.startsWith('/') || isLoopbackHost(host.replace(/^\[|\]$/g, ''));
};

/** Tells whether password and records would cross a network unencrypted. */
export const isExposed = (address: string, url: string): boolean =>
  !isLocal(address) && !/[?&]ssl(?:mode)?=/.test(url);
