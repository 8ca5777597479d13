/** The address of a service, and the host that a tool declares for it. */
import { parseUrl } from '../kit/http/parse-url.ts';

export interface BaseUrl {
  /** Without a trailing slash. */
  readonly href: string;
  /** For `needs.hosts`. */
  readonly host: string;
}

/**
 * Parses a base URL. Throws a TypeError for anything but a plain http(s) address, which is a mistake in
 * the program.
 */
export const baseUrl = (text: string): BaseUrl => {
  const url = parseUrl(text);
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    throw new TypeError('A base URL is an http(s) address without user, query or fragment.');
  }
  return { href: url.href.replace(/\/+$/, ''), host: url.host };
};
