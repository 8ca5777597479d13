/**
 * An answer before it is sent: in most cases a status, headers and one text; otherwise a stream of
 * events, or a web response.
 */
import type { EventStream } from './event-stream.ts';
import type { SecurityHeaders } from './security-headers.ts';

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

export type Answer = PlainAnswer | StreamAnswer | Response;

/** A text with all its headers as a flat list of names and values, which Node writes unchecked. */
export interface SealedText {
  readonly status: number;
  readonly headers: string[];
  readonly body: string | null;
}

export interface SealedStream {
  readonly status: number;
  readonly headers: string[];
  readonly stream: EventStream;
}

export type SealedAnswer = SealedText | SealedStream | Response;

export const JSON_TYPE = 'application/json';
export const EVENTS_TYPE = 'text/event-stream';

/** Shared by all plain JSON answers, so that their headers are flattened once. */
export const JSON_HEADERS: HeaderRecord = Object.freeze({ 'content-type': JSON_TYPE });

const addTo = (headers: Headers, defaults: HeaderRecord, fixed: HeaderRecord): void => {
  for (const [name, value] of Object.entries(defaults)) {
    if (!headers.has(name)) headers.set(name, value);
  }
  for (const [name, value] of Object.entries(fixed)) headers.set(name, value);
};

/** Returns the answer with more headers, which replace its own. */
export const withHeaders = (answer: Answer, fixed: HeaderRecord): Answer => {
  if (!(answer instanceof Response)) {
    return { ...answer, headers: { ...answer.headers, ...fixed } };
  }
  addTo(answer.headers, {}, fixed);
  return answer;
};

export type Seal = (answer: Answer, requestId?: string) => SealedAnswer;

/** Makes the function that adds the headers of every answer. */
export const createSeal = ({ defaults, fixed, data }: SecurityHeaders): Seal => {
  const flat = (own: HeaderRecord): string[] =>
    Object.entries({ ...defaults, ...own, ...fixed }).flat();
  /** The flat headers of frozen records, which many answers share. */
  const shared = new WeakMap<HeaderRecord, readonly string[]>();
  const flatShared = (own: HeaderRecord): readonly string[] => {
    const isJson = own['content-type'] === JSON_TYPE;
    const all = isJson ? Object.entries({ ...data, ...own }).flat() : flat(own);
    shared.set(own, all);
    return all;
  };
  const flatOf = (own: HeaderRecord): readonly string[] =>
    Object.isFrozen(own) ? (shared.get(own) ?? flatShared(own)) : flat(own);
  return (answer, requestId) => {
    const id = requestId === undefined ? [] : ['x-request-id', requestId];
    if (answer instanceof Response) {
      addTo(answer.headers, defaults, fixed);
      if (requestId !== undefined) answer.headers.set('x-request-id', requestId);
      return answer;
    }
    const { status } = answer;
    const headers = [...flatOf(answer.headers), ...id];
    return 'stream' in answer
      ? { status, headers, stream: answer.stream }
      : { status, headers, body: answer.body };
  };
};

const eventsOf = (stream: EventStream): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder();
  const bytesOf = (chunk: string | Uint8Array): Uint8Array =>
    typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
  const source = {
    start: (controller: ReadableStreamDefaultController<Uint8Array>) =>
      stream.open({
        write: (chunk) => controller.enqueue(bytesOf(chunk)),
        end: () => controller.close(),
        backlog: () => -(controller.desiredSize ?? 0),
        cut: () => controller.error(new Error('The client does not read what it is sent.')),
      }),
    pull: () => stream.drained(),
    cancel: () => stream.leave(),
  };
  return new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: 0 }));
};

const bodyOf = (answer: SealedText | SealedStream, method: string) => {
  if (!('stream' in answer)) return method === 'HEAD' ? null : answer.body;
  if (method !== 'HEAD') return eventsOf(answer.stream);
  answer.stream.leave();
  return null;
};

/** Makes the web response of an answer, for programs that embed a surface. */
export const toResponse = (answer: SealedAnswer, method = 'GET'): Response => {
  if (answer instanceof Response) return answer;
  const { status, headers: flat } = answer;
  const headers = new Headers();
  for (let at = 0; at < flat.length; at += 2) headers.set(flat[at] ?? '', flat[at + 1] ?? '');
  return new Response(bodyOf(answer, method), { status, headers });
};
