/** Which hosts a tool may reach: those it declared, matched label by label. */
import { isIP } from 'node:net';

/** `example.com` allows that host alone, `*.example.com` every host below it. */
const matches = (pattern: string, host: string): boolean => {
  const wanted = pattern.toLowerCase();
  if (!wanted.startsWith('*.')) return wanted === host;
  const suffix = wanted.slice(1);
  return host.length > suffix.length && host.endsWith(suffix);
};

/** Says why a URL may not be fetched, or nothing when it may. */
export const refuseUrl = (url: URL, hosts: readonly string[]): string | undefined => {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return 'only http and https are allowed';
  if (url.username !== '' || url.password !== '') return 'credentials in URLs are refused';
  const host = url.hostname.toLowerCase().replace(/\.$/, '');
  if (hosts.some((pattern) => matches(pattern, host))) return undefined;
  if (isIP(host.replace(/^\[|\]$/g, '')) !== 0)
    return 'this address is not among the declared hosts';
  return 'the host is not among those the tool declared';
};
