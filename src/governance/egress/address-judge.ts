/**
 * Judges whether an address is public, local or a cloud's metadata service. It looks inside
 * addresses that carry others; one that it cannot read is not public.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import {
  CARRIERS,
  EMBEDDINGS,
  type Embedding,
  GLOBAL_UNICAST,
  ISATAP_MARKS,
  MORE_LOCAL,
  RANGE_WORDS,
  WELL_KNOWN_NAT64,
} from './address-ranges.ts';
import { METADATA_RANGES } from './metadata-services.ts';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

export interface AddressVerdict {
  readonly kind: 'public' | 'local' | 'metadata' | 'unreadable';
  /** What kind of local address it is. */
  readonly what: string;
}

export type AddressJudge = (address: string) => AddressVerdict;

/**
 * Parses an address that has only one meaning. Forms that some parsers read as octal are refused,
 * mapped addresses unwrapped, and version 6 is respelt in hex first: ipaddr.js reads `::8.8.8.8` as
 * if it were mapped. An address with a zone is not read at all.
 */
export const parseAddress = (text: string): Address | undefined => {
  const family = isIP(text);
  if (family === 4) return ipaddr.parse(text);
  const bracketed = `http://[${text}]/`;
  if (family !== 6 || !URL.canParse(bracketed)) return undefined;
  return ipaddr.process(new URL(bracketed).hostname.slice(1, -1));
};

/** Tells whether the address lies in the range; one of another version never does. */
export const liesIn = (address: Address, [base, bits]: [Address, number]): boolean =>
  address.kind() === base.kind() && address.match(base, bits);

const rangeOf = (text: string): [Address, number] => ipaddr.parseCIDR(text);

type CarriedRange = Pick<Embedding, 'bytes' | 'inverted'> & { readonly within: [Address, number] };

/** Lists every address of version 4 that one of version 6 carries. */
const carriedBy = (address: Address, carriers: readonly CarriedRange[]): readonly Address[] => {
  if (address.kind() === 'ipv4') return [];
  const bytes = address.toByteArray();
  const take = (positions: readonly number[], mask: number): Address =>
    new ipaddr.IPv4(positions.map((position) => Number(bytes[position]) ^ mask));
  const carried = carriers
    .filter(({ within }) => liesIn(address, within))
    .map((carrier) => take(carrier.bytes, carrier.inverted ? 0xff : 0));
  return ISATAP_MARKS.includes(bytes.slice(8, 12).join())
    ? [...carried, take([12, 13, 14, 15], 0)]
    : carried;
};

const VERDICT_PUBLIC: AddressVerdict = { kind: 'public', what: 'public' };
const VERDICT_UNREADABLE: AddressVerdict = { kind: 'unreadable', what: 'unreadable' };

/** Reads the tables once; the judge it returns keeps nothing. */
export const createAddressJudge = (): AddressJudge => {
  const metadata = METADATA_RANGES.map(([range]) => rangeOf(range));
  const moreLocal = MORE_LOCAL.map(([range]) => rangeOf(range));
  const carriers = EMBEDDINGS.map(
    (carrier): CarriedRange => ({ ...carrier, within: rangeOf(carrier.range) }),
  );
  const global = rangeOf(GLOBAL_UNICAST);
  const nat64 = rangeOf(WELL_KNOWN_NAT64);

  const isPublic = (address: Address): boolean => {
    if (moreLocal.some((range) => liesIn(address, range))) return false;
    const name = address.range();
    if (address.kind() === 'ipv4') return name === 'unicast';
    if (liesIn(address, nat64)) return true;
    return liesIn(address, global) && (name === 'unicast' || CARRIERS.includes(name));
  };

  return (text) => {
    const address = parseAddress(text);
    if (address === undefined) return VERDICT_UNREADABLE;
    const layers = [address, ...carriedBy(address, carriers)];
    if (layers.some((layer) => metadata.some((range) => liesIn(layer, range)))) {
      return { kind: 'metadata', what: 'cloud metadata' };
    }
    const local = layers.find((layer) => !isPublic(layer));
    if (local === undefined) return VERDICT_PUBLIC;
    return { kind: 'local', what: RANGE_WORDS[local.range()] ?? 'reserved' };
  };
};
