/** Tells whether a URL points where no tool should go, or carries a secret out. */
import { isIP } from 'node:net';
import { parseUrl } from '../../kit/http/parse-url.ts';
import { createAddressJudge } from '../egress/address-judge.ts';
import { isMetadataName } from '../egress/metadata-services.ts';
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

/** Reads the ranges once. The judge also looks inside addresses that carry others. */
const judgeAddress = createAddressJudge();

const SCHEMES: ReadonlySet<string> = new Set([
  ...['file:', 'gopher:', 'dict:', 'ldap:', 'ldaps:', 'tftp:', 'smb:', 'jar:', 'netdoc:'],
  ...['phar:', 'expect:', 'php:'],
]);

const LIKE_URL = /^\s*(?:https?:|(?:[a-z][a-z0-9+.-]*:)?[\\/]{2})/i;

/**
 * Finds the host that a lenient client would contact: relative to http, or a bare host and port.
 */
const hostOf = (text: string, asWritten: URL | undefined): string | undefined => {
  if (asWritten && asWritten.hostname !== '') return asWritten.hostname;
  return parseUrl(/^\s*[\\/]{2}/.test(text) ? `http:${text.trim()}` : `http://${text.trim()}`)
    ?.hostname;
};

/**
 * Recognises a metadata service by its name, or by its address with or without the brackets of a
 * URL.
 */
const isMetadata = (host: string): boolean => {
  const plain = host.replace(/^\[(.*)\]$/, '$1');
  return isIP(plain) === 0 ? isMetadataName(plain) : judgeAddress(plain).kind === 'metadata';
};

const isMetadataHost = (text: string, asWritten: URL | undefined): boolean => {
  const host = hostOf(text, asWritten)?.replace(/\.$/, '');
  return host !== undefined && isMetadata(host);
};

export const looksLikeUrl = (text: string): boolean => LIKE_URL.test(text);

export type LooksSecret = ((text: string) => boolean) | undefined;

/** Judges a field that is not known to hold a URL, but reads like one. */
export const judgeLikeUrl = (text: string, looksSecret: LooksSecret, report: Report): void => {
  if (isMetadataHost(text, parseUrl(text))) report(METADATA);
  if (looksSecret?.(text)) report(SECRET);
};

export const judgeUrl = (text: string, looksSecret: LooksSecret, report: Report): void => {
  const trimmed = text.trim();
  judgeControls(trimmed, report);
  judgeHidden(trimmed, report);
  const asWritten = parseUrl(trimmed);
  if (isMetadataHost(trimmed, asWritten)) report(METADATA);
  if (looksSecret?.(trimmed)) report(SECRET);
  if (asWritten && SCHEMES.has(asWritten.protocol)) report(SCHEME);
  if (/%0[ad0]/i.test(trimmed)) report(ENCODED_BREAK);
};

/** Judges a word of a command line. */
export const judgeCommandWord = (word: string, report: Report): void => {
  if (isMetadata(word)) report(METADATA);
  else if (looksLikeUrl(word) && isMetadataHost(word, parseUrl(word))) report(METADATA);
};
