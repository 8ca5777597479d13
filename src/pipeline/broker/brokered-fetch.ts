/** Makes the fetch that a tool is handed: it reaches the hosts that the tool declared, while the call runs. */
import type { Call } from '../../contract/call.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Span, SpanAttributes, TraceContext } from '../../contract/telemetry.ts';
import type { Egress, EgressInit, EgressScope } from '../../governance/egress/create-egress.ts';
import { assertRunning } from './assert-running.ts';

/** Returns what a call may reach and how long; every hop is put on record. */
export const egressScope = (call: Call<'ready'>): EgressScope => ({
  hosts: call.ready.tool.needs?.hosts ?? [],
  local: call.ready.tool.needs?.localHosts ?? [],
  signal: () => call.control.signal,
  onHop: ({ origin, href }) => {
    call.notes.resources ??= new Set();
    call.notes.resources.add(origin === 'null' ? href : origin);
  },
});

/** Reads where a request goes; the path and the query may hold secrets and stay out of traces. */
const addressOf = (input: Parameters<typeof globalThis.fetch>[0]): SpanAttributes => {
  const text = input instanceof Request ? input.url : String(input);
  if (!URL.canParse(text)) return {};
  const { protocol, hostname, port } = new URL(text);
  const standard = protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname, 'server.port': port === '' ? standard : Number(port) };
};

/** Adds the trace to the headers, unless the tool has set one. */
const withTrace = (
  input: Parameters<typeof globalThis.fetch>[0],
  init: RequestInit | undefined,
  trace: TraceContext,
): RequestInit => {
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : {}));
  if (!headers.has('traceparent')) {
    headers.set('traceparent', trace.traceparent);
    if (trace.tracestate !== undefined) headers.set('tracestate', trace.tracestate);
  }
  return { ...init, headers };
};

/** Sends a request in a span of its own, described as the conventions for HTTP clients have it. */
const tracedFetch = async (
  send: typeof globalThis.fetch,
  span: Span,
  [input, init]: Parameters<typeof globalThis.fetch>,
): Promise<Response> => {
  try {
    const response = await span.run(() => send(input, withTrace(input, init, span.trace)));
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
): typeof globalThis.fetch => {
  const scope = egressScope(call);
  const send: typeof globalThis.fetch = (input, init) => {
    // Last, so that nothing in `init` can widen the scope.
    const scoped: EgressInit = { ...init, scope };
    return egress.fetch(input, scoped);
  };
  return async (input, init) => {
    assertRunning(call);
    const { span } = call;
    if (!span) return send(input, init);
    const method = (
      init?.method ?? (input instanceof Request ? input.method : 'GET')
    ).toUpperCase();
    const attributes = { 'http.request.method': method, ...addressOf(input) };
    return tracedFetch(send, span.child(method, { kind: 'client', attributes }), [input, init]);
  };
};
