/** Makes the fetch that a tool is handed: it reaches the hosts that the tool declared, while the call runs. */
import type { Call } from '../../contract/call.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Span, SpanAttributes, Telemetry, TraceContext } from '../../contract/telemetry.ts';
import type { Egress, EgressInit, EgressScope } from '../../governance/egress/create-egress.ts';
import { assertRunning } from './assert-running.ts';
import { workSignal } from './work-signal.ts';

/** Returns what a call may reach and how long; every hop is put on record. Throws when the call is over. */
export const egressScope = (call: Call<'ready'>): EgressScope => {
  assertRunning(call);
  const signal = workSignal(call);
  return {
    hosts: call.ready.tool.needs?.hosts ?? [],
    local: call.ready.tool.needs?.localHosts ?? [],
    signal: () => signal,
    onHop: ({ origin, href }) => {
      call.notes.resources ??= new Set();
      call.notes.resources.add(origin === 'null' ? href : origin);
    },
  };
};

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Reads where a request goes; the path and the query may hold secrets and stay out of traces. */
const addressOf = (input: Parameters<typeof globalThis.fetch>[0]): Address | undefined => {
  const text = input instanceof Request ? input.url : String(input);
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port } = new URL(text);
  const standard = protocol === 'https:' ? 443 : 80;
  return { host: hostname, port: port === '' ? standard : Number(port) };
};

/** Adds the trace to the headers, unless the tool has set one. */
const withTrace = (
  [input, init]: Parameters<typeof globalThis.fetch>,
  trace: TraceContext | undefined,
): RequestInit | undefined => {
  if (!trace) return init;
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : {}));
  if (!headers.has('traceparent')) {
    headers.set('traceparent', trace.traceparent);
    if (trace.tracestate !== undefined) headers.set('tracestate', trace.tracestate);
  }
  return { ...init, headers };
};

interface TracedRequest {
  readonly span: Span;
  /** Absent where the host is not to know it. */
  readonly trace: TraceContext | undefined;
}

/** Sends a request in a span of its own, described as the conventions for HTTP clients have it. */
const tracedFetch = async (
  send: typeof globalThis.fetch,
  { span, trace }: TracedRequest,
  request: Parameters<typeof globalThis.fetch>,
): Promise<Response> => {
  try {
    const response = await span.run(() => send(request[0], withTrace(request, trace)));
    const { status } = response;
    const error = status >= 400 ? { type: String(status) } : undefined;
    span.end({ 'http.response.status_code': status }, error);
    return response;
  } catch (error) {
    span.end({}, { type: error instanceof ToolFailure ? error.code : 'Error' });
    throw error;
  }
};

export const brokeredFetch = (
  call: Call<'ready'>,
  egress: Pick<Egress, 'fetch'>,
  telemetry?: Pick<Telemetry, 'sendsTraceTo'>,
): typeof globalThis.fetch => {
  return async (input, init) => {
    const scope = egressScope(call);
    const send: typeof globalThis.fetch = (to, more) => {
      // The signal of the scope ends with that of the call: joining the two costs a request 15 µs.
      const isOfCall = more?.signal && more.signal === call.control.signal;
      // The scope comes last, so that nothing in `more` can widen it.
      const scoped: EgressInit = { ...more, ...(isOfCall && { signal: null }), scope };
      return egress.fetch(to, scoped);
    };
    const { span } = call;
    if (!span) return send(input, init);
    const method = (
      init?.method ?? (input instanceof Request ? input.method : 'GET')
    ).toUpperCase();
    const to = addressOf(input);
    const attributes: SpanAttributes = {
      'http.request.method': method,
      ...(to && { 'server.address': to.host, 'server.port': to.port }),
    };
    const own = span.child(method, { kind: 'client', attributes });
    const isSent = to && telemetry?.sendsTraceTo?.(to.host, to.port);
    return tracedFetch(send, { span: own, trace: isSent ? own.trace : undefined }, [input, init]);
  };
};
