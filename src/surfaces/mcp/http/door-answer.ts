/**
 * An answer before it is sent: one text, events for as long as there are any, or what the library
 * made of a request that it served itself.
 */
import type { EventStream } from './event-stream.ts';

export type HeaderRecord = Readonly<Record<string, string>>;

export interface PlainAnswer {
  readonly status: number;
  readonly headers: HeaderRecord;
  readonly body: string | null;
}

export interface StreamAnswer {
  readonly status: number;
  readonly headers: HeaderRecord;
  readonly stream: EventStream;
}

export type DoorAnswer = PlainAnswer | StreamAnswer | Response;

export const JSON_TYPE = 'application/json';
export const EVENTS_TYPE = 'text/event-stream';

/** In the words of JSON-RPC; nobody asked for a certain one, so it has no id. */
export const refusal = (
  status: number,
  { code = -32000, message }: { readonly code?: number; readonly message: string },
  headers: HeaderRecord = {},
): PlainAnswer => ({
  status,
  headers: { 'content-type': JSON_TYPE, ...headers },
  body: JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }),
});

const bodyOf = (stream: EventStream): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder();
  const source = {
    start: (controller: ReadableStreamDefaultController<Uint8Array>) =>
      stream.open({
        write: (text) => controller.enqueue(encoder.encode(text)),
        end: () => controller.close(),
        backlog: () => -(controller.desiredSize ?? 0),
        cut: () => controller.error(new Error('The client does not read what it is sent.')),
      }),
    cancel: () => stream.leave(),
  };
  return new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: 0 }));
};

export const toResponse = (answer: DoorAnswer): Response => {
  if (answer instanceof Response) return answer;
  const { status, headers } = answer;
  const body = 'stream' in answer ? bodyOf(answer.stream) : answer.body;
  return new Response(body, { status, headers });
};
