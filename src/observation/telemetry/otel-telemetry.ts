/** Makes spans with OpenTelemetry's API, so that they go wherever the program has set it up to send them. */
import {
  type Context,
  context,
  createTraceState,
  type Span as OtelSpan,
  SpanKind as OtelSpanKind,
  ROOT_CONTEXT,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace as traces,
} from '@opentelemetry/api';
import type {
  Span,
  SpanAttributes,
  SpanError,
  SpanKind,
  SpanStart,
  Telemetry,
  TraceContext,
} from '../../contract/telemetry.ts';

const KINDS: Readonly<Record<SpanKind, OtelSpanKind>> = {
  internal: OtelSpanKind.INTERNAL,
  server: OtelSpanKind.SERVER,
  client: OtelSpanKind.CLIENT,
  producer: OtelSpanKind.PRODUCER,
  consumer: OtelSpanKind.CONSUMER,
};

const hex = (value: number): string => value.toString(16).padStart(2, '0');

class TracedSpan implements Span {
  readonly #tracer: Tracer;
  readonly #span: OtelSpan;
  readonly #context: Context;
  #trace: TraceContext | undefined = undefined;

  constructor(tracer: Tracer, span: OtelSpan, around: Context) {
    this.#tracer = tracer;
    this.#span = span;
    this.#context = traces.setSpan(around, span);
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  get trace(): TraceContext {
    if (!this.#trace) {
      const { traceId, spanId, traceFlags, traceState } = this.#span.spanContext();
      const traceparent = `00-${traceId}-${spanId}-${hex(traceFlags & TraceFlags.SAMPLED)}`;
      const tracestate = traceState?.serialize();
      this.#trace = tracestate ? { traceparent, tracestate } : { traceparent };
    }
    return this.#trace;
  }

  get isRecorded(): boolean {
    return this.#span.isRecording();
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  child(name: string, start: Omit<SpanStart, 'parent'> = {}): Span {
    return startIn(this.#tracer, this.#context, { name, ...start });
  }

  run<T>(work: () => T): T {
    return context.with(this.#context, work);
  }

  end(attributes?: SpanAttributes, error?: SpanError): void {
    if (attributes) this.#span.setAttributes(attributes);
    if (error) {
      const { type, message } = error;
      this.#span.setAttribute('error.type', type);
      this.#span.setStatus({
        code: SpanStatusCode.ERROR,
        ...(message !== undefined && { message }),
      });
    }
    this.#span.end();
  }
}

interface NamedStart extends Omit<SpanStart, 'parent'> {
  readonly name: string;
}

const startIn = (
  tracer: Tracer,
  around: Context,
  { name, kind = 'internal', attributes = {} }: NamedStart,
): Span =>
  new TracedSpan(tracer, tracer.startSpan(name, { kind: KINDS[kind], attributes }, around), around);

/** Makes the context of a span in another process. */
const remoteContext = ({ traceparent, tracestate }: TraceContext): Context => {
  const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-');
  return traces.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    isRemote: true,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  });
};

export interface OtelTelemetryOptions {
  readonly version: string;
  readonly recordsContent: boolean;
}

/** Traces with the provider that is registered in this process. */
export const createOtelTelemetry = ({
  version,
  recordsContent,
}: OtelTelemetryOptions): Telemetry => {
  const tracer = traces.getTracer('toolcrib', version);
  return {
    recordsContent,
    start: (name, { parent, ...start } = {}) => {
      const around = parent ? remoteContext(parent) : context.active();
      return startIn(tracer, around, { name, ...start });
    },
  };
};
