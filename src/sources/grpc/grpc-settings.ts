/** The settings of a gRPC source, completed. */
import { isIP } from 'node:net';
import type { ExternalSettings } from '../../contract/source-driver.ts';
import { invalidSetting } from '../../kit/data/coded-failures.ts';
import { isLoopbackHost } from '../../kit/http/loopback.ts';
import { secretKeysOf } from '../../kit/text/resolve-secrets.ts';

/** As `sources.grpc.<name>` takes them. */
interface OwnSettings {
  readonly address: string;
  readonly proto?: readonly string[];
  readonly includeDirs?: readonly string[];
  readonly tls?: boolean;
  readonly ca?: string;
  readonly bearer?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly maxMessages?: number;
  readonly maxStreamMs?: number;
  readonly maxRequestBytes?: number;
}

export interface GrpcSettings {
  readonly host: string;
  readonly port: number;
  /** Host and port as they stand in `needs.hosts`. */
  readonly authority: string;
  readonly isLoopback: boolean;
  readonly isTls: boolean;
  readonly ca: string | undefined;
  readonly proto: readonly string[];
  readonly includeDirs: readonly string[];
  /** Sent with every call; values may refer to secrets. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly secretKeys: readonly string[];
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly maxMessages: number;
  readonly maxStreamMs: number | undefined;
  readonly maxRequestBytes: number;
}

const ADDRESS = /^(\[[0-9a-f:.]+\]|[^\s:/?#@[\]%\\]+):(\d{1,5})$/i;
const MAX_MESSAGES = 100;
/** Servers refuse more unless told otherwise. */
const MAX_REQUEST_BYTES = 4_194_304;

/** These belong to the protocol. */
const RESERVED =
  /^(?:grpc-.*|:.*|content-type|te|host|connection|transfer-encoding|upgrade|.*-bin)$/;

const metadataOf = ({ metadata = {}, bearer }: OwnSettings): Readonly<Record<string, string>> => {
  const entries = Object.entries(metadata).map(([key, value]) => {
    const name = key.toLowerCase();
    if (!RESERVED.test(name)) return [name, value] as const;
    throw invalidSetting(
      `The metadata ${name} cannot be set: it is binary or belongs to the protocol.`,
      'Choose another name.',
    );
  });
  const token = bearer === undefined ? [] : [['authorization', `Bearer \${secret:${bearer}}`]];
  return Object.fromEntries([...entries, ...token]) as Record<string, string>;
};

/** Fails with CONFIG_INVALID for settings that contradict each other. */
export const grpcSettings = (settings: ExternalSettings): GrpcSettings => {
  const own = settings.own as OwnSettings;
  const [, bracketed = '', digits = ''] = ADDRESS.exec(own.address) ?? [];
  const host = bracketed.replace(/^\[|\]$/g, '').toLowerCase();
  const port = Number(digits);
  if (host === '' || port < 1 || port > 65_535) {
    throw invalidSetting('The address is not a host and a port.', 'Write it as host:port.');
  }
  const metadata = metadataOf(own);
  const secretKeys = secretKeysOf(metadata);
  const isTls = own.tls ?? !isLoopbackHost(host);
  if (!isTls && !isLoopbackHost(host) && secretKeys.length > 0) {
    throw invalidSetting(
      'Secrets are not sent without TLS to another machine.',
      'Set tls to true, or leave the secrets out.',
    );
  }
  return {
    host,
    port,
    isTls,
    metadata,
    secretKeys,
    isLoopback: isLoopbackHost(host),
    authority: `${isIP(host) === 6 ? `[${host}]` : host}:${port}`,
    ca: own.ca,
    proto: own.proto ?? [],
    includeDirs: own.includeDirs ?? [],
    include: own.include ?? [],
    exclude: own.exclude ?? [],
    maxMessages: own.maxMessages ?? MAX_MESSAGES,
    maxStreamMs: own.maxStreamMs,
    maxRequestBytes: own.maxRequestBytes ?? MAX_REQUEST_BYTES,
  };
};
