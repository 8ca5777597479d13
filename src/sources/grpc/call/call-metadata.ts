/** Makes the metadata of a call, with its secrets. */
import type { Metadata } from '@grpc/grpc-js';
import { ToolFailure } from '../../../contract/errors.ts';
import { isLoopbackHost } from '../../../kit/http/loopback.ts';
import { resolveSecrets } from '../../../kit/text/resolve-secrets.ts';
import type { GrpcSettings } from '../grpc-settings.ts';
import type { Grpc } from '../load-libraries.ts';

const PRINTABLE = /^[\x20-\x7e]*$/;

export interface MetadataDeps {
  readonly grpc: Grpc;
  /** The address that the connection goes to. */
  readonly address: string;
  secret(key: string): Promise<string | undefined>;
}

/** Fails with AUTH_MISSING for a secret that is not set, and never sends one in plain text. */
export const callMetadata = async (
  { metadata, secretKeys, isTls }: GrpcSettings,
  { grpc, address, secret }: MetadataDeps,
): Promise<Metadata> => {
  if (secretKeys.length > 0 && !isTls && !isLoopbackHost(address)) {
    throw new ToolFailure('CONFIG_INVALID', 'Secrets are not sent without TLS to another machine.');
  }
  const sent = new grpc.Metadata();
  for (const [name, value] of Object.entries(await resolveSecrets(metadata, secret))) {
    if (!PRINTABLE.test(value)) {
      throw new ToolFailure(
        'CONFIG_INVALID',
        `The metadata ${name} holds characters other than ASCII.`,
      );
    }
    sent.set(name, value);
  }
  return sent;
};
