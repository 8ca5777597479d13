/** The span of a call of a gRPC server, described as the OpenTelemetry conventions for RPC have it. */
import type { Metadata } from '@grpc/grpc-js';
import type { ToolContext } from '../../../contract/context.ts';
import type { TraceContext } from '../../../contract/telemetry.ts';
import type { GrpcSettings } from '../grpc-settings.ts';
import type { Grpc } from '../load-libraries.ts';
import { isServiceError } from './status-failure.ts';

export interface TracedCall {
  readonly grpc: Grpc;
  /** `/package.Service/Method` */
  readonly path: string;
  readonly settings: Pick<GrpcSettings, 'host' | 'port'>;
  readonly metadata: Metadata;
}

type Tracing = Pick<ToolContext, 'startSpan' | 'trace' | 'sendsTraceTo'>;

/** Puts the trace into the metadata, unless the source sets one itself. */
const carry = (metadata: Metadata, trace: TraceContext | undefined): void => {
  if (!trace || metadata.get('traceparent').length > 0) return;
  metadata.set('traceparent', trace.traceparent);
  if (trace.tracestate !== undefined) metadata.set('tracestate', trace.tracestate);
};

/** Names the status that a server answered with; what failed on the way is not one. */
const statusOf = (error: unknown, { status }: Grpc): string | undefined =>
  isServiceError(error) ? status[error.code] : undefined;

/** Makes a call in a span of its own; servers that may know the trace get it in the metadata. */
export const inCallSpan = async <R>(
  { startSpan, trace, sendsTraceTo }: Tracing,
  { grpc, path, settings: { host, port }, metadata }: TracedCall,
  call: () => Promise<R>,
): Promise<R> => {
  const isSent = sendsTraceTo?.(host, port) === true;
  if (!startSpan) {
    if (isSent) carry(metadata, trace);
    return call();
  }
  const method = path.slice(1);
  const span = startSpan(method, {
    kind: 'client',
    attributes: {
      'rpc.system.name': 'grpc',
      'rpc.method': method,
      'server.address': host,
      'server.port': port,
    },
  });
  if (isSent) carry(metadata, span.trace);
  try {
    const answer = await span.run(call);
    span.end({ 'rpc.response.status_code': 'OK' });
    return answer;
  } catch (error) {
    const status = statusOf(error, grpc);
    span.end(status === undefined ? {} : { 'rpc.response.status_code': status }, {
      type: status ?? 'Error',
    });
    throw error;
  }
};
