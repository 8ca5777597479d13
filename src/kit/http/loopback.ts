/**
 * Recognizes addresses that lead to this machine. Secrets go to them without TLS, so the spelling counts:
 * a name like `127.0.0.1.example.com`, or `127.0.0.999`, is looked up and may lead anywhere.
 */

const NAME_OR_V4 = /^(?:localhost|127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})$/;

/** Tells whether a bare host, IPv6 without brackets and in small letters, leads to this machine. */
export const isLoopbackHost = (host: string): boolean => host === '::1' || NAME_OR_V4.test(host);

/** Tells whether a URL leads to this machine. */
export const isLoopback = ({ hostname }: Pick<URL, 'hostname'>): boolean =>
  hostname === '[::1]' || NAME_OR_V4.test(hostname);

/** Returns host and port of a URL that leads to this machine; nothing for any other. */
export const localHosts = (url: Pick<URL, 'host' | 'hostname'>): readonly string[] =>
  isLoopback(url) ? [url.host] : [];
