/**
 * Asks a server how it is, by `grpc.health.v1`; one without that service is healthy when it
 * answers.
 */
import type { Health } from '../../../contract/tool.ts';
import type { Channels } from '../call/channels.ts';
import { callUnary } from '../call/make-call.ts';
import { isServiceError, statusFailure } from '../call/status-failure.ts';
import { decodeMessage, newDecoding } from '../codec/decode-message.ts';
import { createTypeTable } from '../codec/type-table.ts';
import { PROTOCOL_TYPES } from '../definition/protocol-types.ts';
import type { GrpcSettings } from '../grpc-settings.ts';

const CHECK = '/grpc.health.v1.Health/Check';
const MAX_CHECK_MS = 5000;
const MAX_ANSWER = 10_000;
const STATES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];
/** The server answers, but does not tell: permission denied, unimplemented, unauthenticated. */
const REACHED: ReadonlySet<number> = new Set([5, 7, 12, 16]);

export interface HealthDeps {
  readonly settings: GrpcSettings;
  readonly channels: Channels;
  resolveHost(host: string, port: number): Promise<string>;
  redact(text: string): string;
  now(): number;
}

/** Sends no metadata: a check has no secrets. Never rejects. */
export const checkHealth = async (deps: HealthDeps): Promise<Health> => {
  const { settings, channels, resolveHost, now, redact } = deps;
  try {
    const address = await resolveHost(settings.host, settings.port);
    return await channels.use(address, async (client, grpc) => {
      const answer = await callUnary(client, {
        path: CHECK,
        message: Buffer.alloc(0),
        metadata: new grpc.Metadata(),
        deadline: now() + MAX_CHECK_MS,
        signal: AbortSignal.timeout(MAX_CHECK_MS),
      });
      const decoding = newDecoding(createTypeTable(PROTOCOL_TYPES), MAX_ANSWER);
      const type = 'grpc.health.v1.HealthCheckResponse';
      const { status } = decodeMessage(type, answer, decoding) as { readonly status: number };
      return { healthy: status === 1, message: STATES[status] ?? `state ${status}` };
    });
  } catch (error) {
    if (isServiceError(error) && REACHED.has(error.code)) {
      return { healthy: true, message: 'It answers; it does not tell its health.' };
    }
    return {
      healthy: false,
      message: statusFailure(error, { redact, isRepeatable: true }).message,
    };
  }
};
