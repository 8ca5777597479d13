/**
 * Services that hand out the credentials of the machine, an entry a line. No configuration opens them. The
 * egress guard and the inspection of inputs both read these tables. Sources: vendors' manuals.
 */

type Entry = readonly [name: string, whose: string];

export const METADATA_RANGES: readonly Entry[] = [
  ['169.254.0.0/16', 'link-local, where most clouds keep their metadata'],
  ['168.63.129.16/32', 'Azure'],
  ['100.100.100.200/32', 'Alibaba Cloud'],
  ['192.0.0.192/32', 'Oracle Cloud'],
  ['192.80.8.124/32', 'Equinix Metal'],
  ['fd00:ec2::/32', 'Amazon'],
  ['fd20:ce::/32', 'Google Cloud'],
  ['fd00:c1::a9fe:a9fe/128', 'Oracle Cloud'],
  ['fd00:42::42/128', 'Scaleway'],
  ['fd00:a9fe:a9fe::/48', 'Akamai'],
  ['fe80::a9fe:a9fe/128', 'OpenStack'],
];

const METADATA_NAMES: readonly Entry[] = [
  ['instance-data', 'Amazon'],
  ['instance-data.ec2.internal', 'Amazon'],
  ['metadata', 'Google Cloud, by its short name'],
  ['metadata.azure.internal', 'Azure'],
  ['metadata.goog', 'Google Cloud'],
  ['metadata.google.internal', 'Google Cloud'],
  ['metadata.packet.net', 'Equinix Metal'],
  ['metadata.platformequinix.com', 'Equinix Metal'],
  ['metadata.tencentyun.com', 'Tencent Cloud'],
  ['rancher-metadata', 'Rancher'],
  ['rancher-metadata.rancher.internal', 'Rancher'],
];

const NAMES: ReadonlySet<string> = new Set(METADATA_NAMES.map(([name]) => name));

/** Tells whether a host name, in lower case and without a trailing dot, is one of these services. */
export const isMetadataName = (host: string): boolean => NAMES.has(host);
