/** Recognizes addresses that lead to this machine. */

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Tells whether a URL leads to this machine. */
export const isLoopback = ({ hostname }: Pick<URL, 'hostname'>): boolean => LOOPBACK.test(hostname);

/** Returns host and port of a URL that leads to this machine; nothing for any other. */
export const localHosts = (url: Pick<URL, 'host' | 'hostname'>): readonly string[] =>
  isLoopback(url) ? [url.host] : [];
