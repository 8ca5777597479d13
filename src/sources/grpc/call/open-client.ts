/**
 * Opens a connection to a checked address. The name of the server is checked against its
 * certificate all the same.
 */
import { isIP } from 'node:net';
import type { ChannelOptions, Client } from '@grpc/grpc-js';
import type { GrpcSettings } from '../grpc-settings.ts';
import type { Grpc } from '../load-libraries.ts';

export interface ClientLimits {
  readonly maxReceiveBytes: number;
  readonly maxSendBytes: number;
  /** Certificates of the authorities, as PEM; those of the system when absent. */
  readonly ca: string | undefined;
}

const IDLE_MS = 300_000;

const optionsFor = (
  { host, authority, isTls }: GrpcSettings,
  { maxReceiveBytes, maxSendBytes }: ClientLimits,
): ChannelOptions => ({
  'grpc.max_receive_message_length': maxReceiveBytes,
  'grpc.max_send_message_length': maxSendBytes,
  'grpc.default_authority': authority,
  // An address needs no override: the connection goes to it.
  ...(isTls && isIP(host) === 0 && { 'grpc.ssl_target_name_override': host }),
  // A proxy of the environment would resolve the name itself and see what is sent.
  'grpc.enable_http_proxy': 0,
  // Only the pipeline repeats calls: it knows which may be repeated.
  'grpc.enable_retries': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_channelz': 0,
  'grpc.client_idle_timeout_ms': IDLE_MS,
});

export const openClient = (
  grpc: Grpc,
  address: string,
  { settings, limits }: { readonly settings: GrpcSettings; readonly limits: ClientLimits },
): Client => {
  const { port, isTls } = settings;
  const target = isIP(address) === 6 ? `ipv6:[${address}]:${port}` : `ipv4:${address}:${port}`;
  const { ca } = limits;
  const credentials = isTls
    ? grpc.credentials.createSsl(ca === undefined ? null : Buffer.from(ca))
    : grpc.credentials.createInsecure();
  return new grpc.Client(target, credentials, optionsFor(settings, limits));
};
