/** The span of a request that makes calls, described as the OpenTelemetry conventions for HTTP have it. */
import type { CallAs } from '../../contract/call-options.ts';
import type { Telemetry } from '../../contract/telemetry.ts';

interface TracedRequest<R> {
  readonly as: CallAs;
  run(as: CallAs): Promise<R>;
}

/** Makes the calls of a request children of its span, and that a child of the client's. */
export const inRequestSpan = async <R extends { readonly status: number }>(
  telemetry: Telemetry,
  route: string,
  { as, run }: TracedRequest<R>,
): Promise<R> => {
  const attributes = { 'http.request.method': 'POST', 'http.route': route };
  const span = telemetry.start(`POST ${route}`, { kind: 'server', parent: as.trace, attributes });
  try {
    const reply = await span.run(() => run({ ...as, trace: span.trace }));
    const { status } = reply;
    const error = status >= 500 ? { type: String(status) } : undefined;
    span.end({ 'http.response.status_code': status }, error);
    return reply;
  } catch (error) {
    span.end({}, { type: 'INTERNAL' });
    throw error;
  }
};
