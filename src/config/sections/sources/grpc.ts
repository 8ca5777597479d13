/** The settings of `sources.grpc`. */
import { z } from 'zod';
import { milliseconds, nonEmptyText, positiveCount } from '../fields.ts';
import { described, optionalSetting } from '../setting.ts';
import { EXTERNAL_FIELDS } from './external-fields.ts';
import { SECRET } from './source-fields.ts';

const address = z
  .string()
  .regex(
    /^(?:\[[0-9A-Fa-f:.]+\]|[^\s:/?#@[\]%\\]+):\d{1,5}$/,
    'expected a host and a port, e.g. localhost:50051',
  );

/** Binary metadata and the names of the protocol itself cannot be set. */
const metadataKey = z
  .string()
  .regex(
    /^(?!grpc-)(?![0-9A-Za-z_.-]*-bin$)[0-9A-Za-z_.-]{1,100}$/i,
    'expected the name of metadata that is text: letters, digits, "_", "-" or ".", not grpc-… and not …-bin',
  );

/** What other protocols call headers is metadata here. */
const { headers: _headers, ...COMMON_FIELDS } = EXTERNAL_FIELDS;

const texts = z.array(nonEmptyText).max(1000);

export const grpcSource = z.strictObject({
  address: described(address, {
    about: 'The host and port of the gRPC server, e.g. localhost:50051.',
    project: 'add',
  }),
  proto: optionalSetting(texts, {
    about: 'Its proto files, from the project on; the server is asked by reflection when absent.',
    project: 'add',
  }),
  includeDirs: optionalSetting(texts, {
    about: 'Folders that imports of the proto files are looked for in, beside those of the files.',
    project: 'add',
  }),
  tls: optionalSetting(z.boolean(), {
    about: 'Whether the connection is encrypted; true when absent, except for this machine.',
    project: 'add',
  }),
  ca: optionalSetting(nonEmptyText, {
    about: 'A file with certificates of authorities (PEM) that the server is checked against.',
    project: 'add',
  }),
  bearer: optionalSetting(z.string().regex(/^[A-Za-z0-9_.:-]{1,200}$/, 'expected a key'), {
    about: 'The key of the secret that is sent as the bearer token.',
    project: 'add',
  }),
  metadata: optionalSetting(
    z.record(
      metadataKey,
      described(z.string(), {
        about: `The value of one entry; ${SECRET} stands for a secret.`,
        project: 'add',
      }),
    ),
    { about: 'Metadata that is sent with every call.' },
  ),
  include: optionalSetting(texts, {
    about:
      'Services or methods that become tools, e.g. shop.v1.Orders or Orders/Get*; all when absent.',
    project: 'add',
  }),
  exclude: optionalSetting(texts, {
    about: 'Services or methods that do not become tools.',
    project: 'add',
  }),
  maxMessages: optionalSetting(positiveCount.max(100_000), {
    about: 'How many messages of a stream are taken; 100 when absent.',
    project: 'add',
  }),
  maxStreamMs: optionalSetting(milliseconds, {
    about: 'Milliseconds after which a stream is ended and what came is the result.',
    project: 'add',
  }),
  maxRequestBytes: optionalSetting(positiveCount, {
    about: 'The largest message that is sent; 4 MiB when absent.',
    project: 'add',
  }),
  ...COMMON_FIELDS,
});

export const GRPC_ABOUT = 'gRPC servers: each method is a tool.';
