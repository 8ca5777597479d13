/**
 * Links questions of a server to the call that they belong to, where the protocol tells: over HTTP
 * a question comes on the stream of its call, and in the 2026-07-28 protocol with the reply to it.
 * The SDK does not pass that on. So each request carries the key of its call to the transport, as a
 * header that is taken off there, and the question brings it back as metadata.
 */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isRecord } from '../../../kit/data/is-record.ts';
import type { RunningCalls } from './running-calls.ts';

/** Between the SDK and the transport only: it is never sent. */
const KEY_HEADER = 'x-toolcrib-call';
const KEY_META = 'toolcrib/call';

/** Returns the request options of the SDK that name the call. */
export const linkHeaders = (key: string): Readonly<Record<string, string>> => ({
  [KEY_HEADER]: key,
});

/** Returns the key that a question was linked with. */
export const linkOf = (meta: Readonly<Record<string, unknown>> | undefined): string | undefined => {
  const key = meta?.[KEY_META];
  return typeof key === 'string' ? key : undefined;
};

const linked = (request: unknown, key: string): unknown => {
  if (!isRecord(request)) return request;
  const params = isRecord(request.params) ? request.params : {};
  const meta = isRecord(params._meta) ? params._meta : {};
  return { ...request, params: { ...params, _meta: { ...meta, [KEY_META]: key } } };
};

/** Takes the key of the call off the headers of a request. */
export const takeLink = (headers: Headers): string | undefined => {
  const key = headers.get(KEY_HEADER) ?? undefined;
  headers.delete(KEY_HEADER);
  return key;
};

/** Loose, because some languages write a slash as `\/`. */
const QUESTION = /"(?:elicitation|sampling)/;

/** Links a message on the stream of a call, as text; what is no question stays as it is. */
export const linkText = (text: string, key: string): string => {
  if (!QUESTION.test(text)) return text;
  try {
    const message: unknown = JSON.parse(text);
    const isRequest = isRecord(message) && 'method' in message && 'id' in message;
    return isRequest ? JSON.stringify(linked(message, key)) : text;
  } catch {
    return text;
  }
};

/** Links the questions in the reply to a request, in place: the SDK reads the same object. */
const linkReply = (message: JSONRPCMessage, calls: RunningCalls): void => {
  if (!('result' in message) || !isRecord(message.result.inputRequests)) return;
  // By number, as the SDK finds its requests: some servers answer with the id as text.
  const key = calls.withRequest(Number(message.id))?.key;
  if (key === undefined) return;
  const inputRequests: Record<string, unknown> = message.result.inputRequests;
  for (const [name, request] of Object.entries(inputRequests)) {
    inputRequests[name] = linked(request, key);
  }
};

/** Makes a transport, before it is connected, note which call a request belongs to. */
export const linkReplies = (transport: Transport, calls: RunningCalls): void => {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const key = options?.headers?.[KEY_HEADER];
    if (key !== undefined && 'id' in message) {
      calls.withKey(key)?.requestIds.add(Number(message.id));
    }
    return send(message, options);
  };
  transport.onmessage = (message) => linkReply(message, calls);
};
