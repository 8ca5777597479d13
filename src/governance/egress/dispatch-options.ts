/** Writes a request as the dispatcher takes it, with the headers that `fetch` adds. */
import { Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { Dispatcher } from 'undici';
import type { OutgoingRequest } from './outgoing-request.ts';

/** What a request says where the tool says nothing. */
const USUAL: readonly (readonly [name: string, value: string])[] = [
  ['accept', '*/*'],
  ['accept-language', '*'],
  ['sec-fetch-mode', 'cors'],
  ['user-agent', 'undici'],
];

/**
 * Lists the accepted encodings; none for a range, because a part of a compressed body cannot be
 * decompressed.
 */
const codingsFor = ({ url, headers }: OutgoingRequest): string => {
  if (headers.has('range')) return 'identity';
  return url.protocol === 'https:' ? 'br, gzip, deflate' : 'gzip, deflate';
};

const headersFor = (request: OutgoingRequest): string[] => {
  const { headers } = request;
  const flat: string[] = [];
  for (const [name, value] of headers) flat.push(name, value);
  for (const [name, value] of USUAL) if (!headers.has(name)) flat.push(name, value);
  if (!headers.has('accept-encoding')) flat.push('accept-encoding', codingsFor(request));
  return flat;
};

export const dispatchOptions = (request: OutgoingRequest): Dispatcher.DispatchOptions => {
  const { url, method, body } = request;
  const { origin, href, hash } = url;
  return {
    origin,
    // By the text, so that a question mark with nothing behind it stays.
    path: href.slice(origin.length, href.length - hash.length),
    method: method as Dispatcher.HttpMethod,
    headers: headersFor(request),
    body: body instanceof ReadableStream ? Readable.fromWeb(body as NodeStream) : body,
  };
};
