/** Tells whether a URL points where no tool should go, or carries a secret out. */
import { judgeControls, judgeHidden, type Report } from './judge-text.ts';
import type { Finding } from './violation.ts';

const METADATA: Finding = {
  type: 'data_exfiltration',
  severity: 'critical',
  description: "A URL points at a cloud provider's metadata service.",
  remedy: 'These addresses hand out credentials and are never reachable through a tool.',
};

const SCHEME: Finding = {
  type: 'data_exfiltration',
  severity: 'high',
  description: 'A URL has a scheme that reads local files or speaks to internal services.',
  remedy: 'Use an http or https URL.',
};

const SECRET: Finding = {
  type: 'data_exfiltration',
  severity: 'high',
  description: 'A URL carries a secret.',
  remedy: 'Send credentials the way the tool takes them, never inside a URL.',
};

const ENCODED_BREAK: Finding = {
  type: 'injection',
  severity: 'medium',
  description: 'A URL holds an encoded line break or NUL.',
  remedy: 'Make sure that the other side is meant to get it.',
};

const METADATA_ADDRESSES = [
  ...['169.254.169.254', '169.254.170.2', '169.254.170.23', '169.254.0.23'],
  ...['100.100.100.200', '192.0.0.192', '168.63.129.16'],
];
const METADATA_HOSTS: ReadonlySet<string> = new Set([
  ...METADATA_ADDRESSES,
  ...['metadata', 'metadata.google.internal', 'metadata.goog', 'metadata.tencentyun.com'],
  ...['instance-data', 'instance-data.ec2.internal', '[fd00:ec2::254]', '[fd00:ec2::23]'],
  '[fd20:ce::254]',
]);

const hexPair = (address: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
};

/** An IPv4 address inside an IPv6 one: mapped, compatible, NAT64 and 6to4, as URL writes them. */
const EMBEDDED = new RegExp(
  `^\\[(?:(?:::|::ffff:|::ffff:0:|64:ff9b::)(?:PAIR)|2002:(?:PAIR):[0-9a-f:]*)\\]$`.replaceAll(
    'PAIR',
    METADATA_ADDRESSES.map(hexPair).join('|'),
  ),
);

const SCHEMES: ReadonlySet<string> = new Set([
  ...['file:', 'gopher:', 'dict:', 'ldap:', 'ldaps:', 'tftp:', 'smb:', 'jar:', 'netdoc:'],
  ...['phar:', 'expect:', 'php:'],
]);

const LIKE_URL = /^\s*(?:https?:|(?:[a-z][a-z0-9+.-]*:)?[\\/]{2})/i;

const parse = (text: string): URL | undefined => {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
};

/** Whatever a careless client would make of it: relative to http, or a bare host and port. */
const hostOf = (text: string, asWritten: URL | undefined): string | undefined => {
  if (asWritten && asWritten.hostname !== '') return asWritten.hostname;
  return parse(/^\s*[\\/]{2}/.test(text) ? `http:${text.trim()}` : `http://${text.trim()}`)
    ?.hostname;
};

const isMetadataHost = (text: string, asWritten: URL | undefined): boolean => {
  const host = hostOf(text, asWritten)?.replace(/\.$/, '');
  return host !== undefined && (METADATA_HOSTS.has(host) || EMBEDDED.test(host));
};

export const looksLikeUrl = (text: string): boolean => LIKE_URL.test(text);

export type LooksSecret = ((text: string) => boolean) | undefined;

/** Judges a field that is not known to hold a URL, but reads like one. */
export const judgeLikeUrl = (text: string, looksSecret: LooksSecret, report: Report): void => {
  if (isMetadataHost(text, parse(text))) report(METADATA);
  if (looksSecret?.(text)) report(SECRET);
};

export const judgeUrl = (text: string, looksSecret: LooksSecret, report: Report): void => {
  const trimmed = text.trim();
  judgeControls(trimmed, report);
  judgeHidden(trimmed, report);
  const asWritten = parse(trimmed);
  if (isMetadataHost(trimmed, asWritten)) report(METADATA);
  if (looksSecret?.(trimmed)) report(SECRET);
  if (asWritten && SCHEMES.has(asWritten.protocol)) report(SCHEME);
  if (/%0[ad0]/i.test(trimmed)) report(ENCODED_BREAK);
};

/** A word of a command line. */
export const judgeCommandWord = (word: string, report: Report): void => {
  if (METADATA_HOSTS.has(word)) report(METADATA);
  else if (looksLikeUrl(word) && isMetadataHost(word, parse(word))) report(METADATA);
};
