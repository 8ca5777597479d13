/** The local hosts and networks that the configuration opens, by name, address or range. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ToolFailure } from '../../contract/errors.ts';
import { type Address, liesIn, parseAddress } from './address-judge.ts';
import { compileHost, type HostRule, matchesHost } from './host-rule.ts';
import type { Destination } from './normal-host.ts';

export type PrivateAllowlist = (to: Destination, address: string) => boolean;

type Entry =
  | { readonly range: [Address, number]; readonly port: number | undefined }
  | { readonly rule: HostRule };

const invalid = (): ToolFailure =>
  new ToolFailure('CONFIG_INVALID', 'An entry of egress.allowPrivate cannot be read.', {
    suggestions: ['Write a host name, an address or a range such as 10.0.0.0/8; `*` is none.'],
  });

const readRange = (text: string): [Address, number] => {
  const [base = '', bits = ''] = text.split('/');
  // Leading zeros would be read as octal, a missing part as zero.
  if (isIP(base) === 0 || !/^\d{1,3}$/.test(bits) || !ipaddr.isValidCIDR(text)) throw invalid();
  return ipaddr.parseCIDR(text);
};

const readEntry = (text: string): Entry => {
  if (text.includes('/')) return { range: readRange(text), port: undefined };
  const rule = compileHost(text);
  if (rule === undefined || rule.kind === 'any') throw invalid();
  const address = parseAddress(rule.host);
  if (address === undefined) return { rule };
  return { range: [address, address.toByteArray().length * 8], port: rule.port };
};

/** Throws `CONFIG_INVALID` for an entry that cannot be read: a list is never applied in part. */
export const createPrivateAllowlist = (entries: readonly string[]): PrivateAllowlist => {
  const read = entries.map(readEntry);
  return (to, address) => {
    const parsed = parseAddress(address);
    if (parsed === undefined) return false;
    return read.some((entry) => {
      if ('rule' in entry) return matchesHost(entry.rule, to);
      return (entry.port ?? to.port) === to.port && liesIn(parsed, entry.range);
    });
  };
};
