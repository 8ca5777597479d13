/**
 * The port to distributed tracing. A crib without one pays nothing; `toolcrib` makes one when the
 * `OTEL_*` variables say where spans go, and a program that has set up OpenTelemetry gets one by itself.
 */

/** Names a span to other processes, as W3C Trace Context does. */
export interface TraceContext {
  /** E.g. `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`. */
  readonly traceparent: string;
  readonly tracestate?: string;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/**
 * Who waits for whom: `server` and `client` are the two ends of a request, `producer` and `consumer` those of
 * something that is done later.
 */
export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

export interface SpanStart {
  readonly kind?: SpanKind;
  /** The span of another process; what runs around the call otherwise. */
  readonly parent?: TraceContext | undefined;
  readonly attributes?: SpanAttributes;
}

/** One piece of work in a trace. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  readonly trace: TraceContext;
  /** False where the sampler has left the trace out: nothing needs to be added to it. */
  readonly isRecorded: boolean;
  /** Sets the name where it was not known at the start. */
  rename(name: string): void;
  child(name: string, start?: Omit<SpanStart, 'parent'>): Span;
  /** Runs work so that libraries which trace by themselves find this span around it. */
  run<T>(work: () => T): T;
  /** Adds attributes, and marks the span as failed when there is an error. */
  end(attributes?: SpanAttributes, error?: SpanError): void;
}

export interface SpanError {
  /** Of few values, such as the code of an error. */
  readonly type: string;
  readonly message?: string | undefined;
}

export interface Telemetry {
  start(name: string, start?: SpanStart): Span;
  /** Whether spans of calls hold their redacted arguments and results. */
  readonly recordsContent: boolean;
  /** Tells whether requests to a host carry the trace. When absent, none do. */
  sendsTraceTo?(host: string, port: number): boolean;
}
