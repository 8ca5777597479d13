/** A tool's request as it goes out: taken over once, without what would steer the connection. */

export interface OutgoingRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  /** Bytes can be sent again after a redirect, a stream cannot. */
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream | null;
  readonly redirect: Request['redirect'];
}

export interface TakenRequest {
  readonly request: OutgoingRequest;
  readonly signal: AbortSignal;
}

/**
 * Framing and connection are ours to say. `host` would reach another site behind the same address
 * than the one that was judged.
 */
const NOT_THE_TOOLS: readonly string[] = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

const isStream = (body: unknown): boolean =>
  body instanceof ReadableStream ||
  (typeof body === 'object' && body !== null && Symbol.asyncIterator in body);

/** Texts, buffers, forms and blobs have an end, so they are read into bytes. */
const bodyOf = async (
  request: Request,
  streamed: boolean,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream | null> =>
  streamed || request.body === null ? request.body : new Uint8Array(await request.arrayBuffer());

/**
 * Takes the request over as `fetch` would, for a URL that was judged already; a `Request` brings its
 * own, which is judged with its first hop. Members such as `dispatcher` are never looked at.
 */
export const takeRequest = async (
  input: URL | Request,
  init: RequestInit = {},
): Promise<TakenRequest> => {
  const own = { ...init };
  const carried = input instanceof Request && own.body === undefined;
  const request = new Request(input, own);
  const headers = new Headers(request.headers);
  for (const name of NOT_THE_TOOLS) headers.delete(name);
  const body = await bodyOf(request, carried || isStream(own.body));
  const { url, method, redirect, signal } = request;
  return { request: { url: new URL(url), method, headers, body, redirect }, signal };
};
