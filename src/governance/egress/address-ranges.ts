/** The addresses and names that matter to the egress guard, as data. Sources: IANA registries, vendors' manuals. */

type Named = readonly [range: string, what: string];

/** The only part of version 6 that is handed out for public use. */
export const GLOBAL_UNICAST = '2000::/3';

/** Translators reach public version 4 hosts through it: what lies inside decides. */
export const WELL_KNOWN_NAT64 = '64:ff9b::/96';

/** Ranges of ipaddr.js that are public as far as the address inside them is. */
export const CARRIERS: readonly string[] = ['6to4', 'teredo'];

/** Special ranges that ipaddr.js does not know. */
export const MORE_LOCAL: readonly Named[] = [['3ffe::/16', 'handed back from the 6bone']];

/** Where an address of version 6 carries one of version 4: four byte positions, perhaps inverted. */
export interface Embedding {
  readonly range: string;
  readonly bytes: readonly [number, number, number, number];
  readonly inverted?: true;
}

export const EMBEDDINGS: readonly Embedding[] = [
  { range: '::/96', bytes: [12, 13, 14, 15] },
  { range: '::ffff:0:0:0/96', bytes: [12, 13, 14, 15] },
  { range: '64:ff9b::/96', bytes: [12, 13, 14, 15] },
  { range: '64:ff9b:1::/48', bytes: [12, 13, 14, 15] },
  { range: '64:ff9b:1::/48', bytes: [6, 7, 9, 10] },
  { range: '64:ff9b:1::/48', bytes: [7, 9, 10, 11] },
  { range: '64:ff9b:1::/48', bytes: [9, 10, 11, 12] },
  { range: '2002::/16', bytes: [2, 3, 4, 5] },
  { range: '2001::/32', bytes: [4, 5, 6, 7] },
  { range: '2001::/32', bytes: [12, 13, 14, 15], inverted: true },
];

/** Interface identifiers of ISATAP, below any prefix: the four bytes after them are an address. */
export const ISATAP_MARKS: readonly string[] = ['0,0,94,254', '2,0,94,254'];

/** Words for what ipaddr.js calls a range; the rest is `reserved`. */
export const RANGE_WORDS: Readonly<Record<string, string>> = {
  unspecified: 'unspecified',
  broadcast: 'broadcast',
  multicast: 'multicast',
  linkLocal: 'link-local',
  loopback: 'loopback',
  carrierGradeNat: 'carrier-grade NAT',
  private: 'private',
  uniqueLocal: 'unique-local',
};

/** Ports no browser connects to, since other protocols listen there (Fetch standard, "bad port"). */
export const BAD_PORTS: readonly number[] = [
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
];
