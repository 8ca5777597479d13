/** `toolcrib add grpc`: a gRPC server, by its host and port. */
import type { Command } from 'commander';
import { compact } from '../../../kit/data/compact.ts';
import { secretKeysOf } from '../../../kit/text/resolve-secrets.ts';
import { collectEach } from '../../command-actions.ts';
import { misuse } from '../../input/misuse.ts';
import type { AddKind } from './add-kind.ts';
import { nameFrom } from './name-from.ts';
import { pairsFrom } from './service-options.ts';

export interface AddGrpcOptions {
  readonly proto?: readonly string[];
  readonly includeDir?: readonly string[];
  /** `--tls` or `--no-tls`. */
  readonly tls?: boolean;
  readonly ca?: string;
  readonly bearer?: string;
  readonly metadata?: readonly string[];
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

const SCHEME = /^(grpcs?):\/\//i;
const ADDRESS = /^(\[[0-9a-f:.]+\]|[^\s:/?#@[\]%\\]+):(\d{1,5})$/i;

interface GrpcTarget {
  /** Host and port. */
  readonly address: string;
  /** From the scheme of the address; `undefined` when it has none. */
  readonly tls: boolean | undefined;
}

const targetOf = (typed: string): GrpcTarget => {
  const scheme = SCHEME.exec(typed)?.[1]?.toLowerCase();
  const address = typed.replace(SCHEME, '').replace(/\/$/, '');
  if (!ADDRESS.test(address)) {
    throw misuse(
      'A gRPC server is given as host and port.',
      'For example: toolcrib add grpc localhost:50051',
    );
  }
  return { address, tls: scheme === undefined ? undefined : scheme === 'grpcs' };
};

const settingsOf = (
  target: GrpcTarget,
  options: AddGrpcOptions,
): Readonly<Record<string, unknown>> => {
  const { proto, includeDir, ca, bearer, metadata, include, exclude } = options;
  const tls = options.tls ?? target.tls;
  const { address } = target;
  return compact({
    address,
    proto,
    includeDirs: includeDir,
    tls,
    ca,
    bearer,
    include,
    exclude,
    metadata: metadata && pairsFrom('--metadata', metadata),
  });
};

const options = (command: Command): Command =>
  command
    .option('--proto <file>', 'a proto file, where the server has no reflection', collectEach)
    .option('--include-dir <folder>', 'a folder that proto files import from', collectEach)
    .option('--tls', 'encrypt the connection; the default but for this machine')
    .option('--no-tls', 'do not encrypt the connection')
    .option('--ca <file>', 'certificates of authorities that the server is checked against (PEM)')
    .option('--bearer <key>', 'the key of the secret that is sent as the bearer token')
    .option('--metadata <name=value>', 'metadata of every call; can be repeated', collectEach)
    .option('--include <pattern>', 'a service or method to take in, e.g. Orders/*', collectEach)
    .option('--exclude <pattern>', 'a service or method to leave out', collectEach);

export const addGrpc: AddKind<AddGrpcOptions> = {
  kind: 'grpc',
  summary: 'a gRPC server: each unary or server-streaming method is a tool',
  address: 'host:port',
  examples: [
    'toolcrib add grpc localhost:50051',
    'toolcrib add grpc shop.example.com:443 --bearer SHOP_TOKEN --include shop.v1.Orders',
    'toolcrib add grpc localhost:50051 --proto proto/shop.proto --include-dir proto --name orders',
  ],
  recognises: (address) => SCHEME.test(address),
  options,
  async source({ address, name, options: chosen }) {
    const target = targetOf(address);
    const settings = settingsOf(target, chosen);
    const { metadata = [], bearer } = chosen;
    const keys = secretKeysOf(pairsFrom('--metadata', metadata));
    return {
      name: name ?? nameFrom(`grpc://${target.address}`, 'grpc'),
      settings,
      secrets: [...new Set([...(bearer === undefined ? [] : [bearer]), ...keys])],
    };
  },
};
