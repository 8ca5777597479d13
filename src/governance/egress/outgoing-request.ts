/** Takes a tool's request over, without headers that would steer the connection. */

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
  readonly signal: AbortSignal | undefined;
}

/**
 * Framing and connection are ours to say. `host` would reach another site behind the same address
 * than the one that was judged.
 */
const NOT_THE_TOOLS: ReadonlySet<string> = new Set([
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
]);

const withoutOurs = (headers: Headers): Headers => {
  for (const name of [...headers.keys()]) if (NOT_THE_TOOLS.has(name)) headers.delete(name);
  return headers;
};

/** Methods that need no other spelling. */
const BARE_METHODS: ReadonlySet<unknown> = new Set(['GET', 'HEAD']);
const BODY_METHODS: ReadonlySet<unknown> = new Set(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const REDIRECT_MODES: ReadonlySet<unknown> = new Set(['follow', 'manual', 'error']);

/**
 * Takes the requests that most tools make, without the `Request` that `fetch` would make of them: it costs
 * more than the rest of the way to the connection. Gives `undefined` for any other.
 */
const takePlain = (url: URL, init: RequestInit): TakenRequest | undefined => {
  const { method = 'GET', body = null, redirect = 'follow', signal } = init;
  const isText = typeof body === 'string';
  const isBytes = body instanceof Uint8Array;
  if (!BODY_METHODS.has(method) && !(body === null && BARE_METHODS.has(method))) return undefined;
  if (body !== null && !isText && !isBytes) return undefined;
  if (!REDIRECT_MODES.has(redirect) || (signal && !(signal instanceof AbortSignal))) {
    return undefined;
  }
  const headers = withoutOurs(new Headers(init.headers));
  if (isText && !headers.has('content-type')) {
    headers.set('content-type', 'text/plain;charset=UTF-8');
  }
  // A copy: the tool may change its bytes afterwards.
  const bytes = body === null ? null : new Uint8Array(Buffer.from(body as string));
  return { request: { url, method, headers, body: bytes, redirect }, signal: signal ?? undefined };
};

const isStream = (body: unknown): boolean =>
  body instanceof ReadableStream ||
  (typeof body === 'object' && body !== null && Symbol.asyncIterator in body);

/** Reads a body into bytes, unless it is a stream, which may have no end. */
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
  const plain = input instanceof URL ? takePlain(input, own) : undefined;
  if (plain) return plain;
  const carried = input instanceof Request && own.body === undefined;
  const request = new Request(input, own);
  const headers = withoutOurs(new Headers(request.headers));
  const body = await bodyOf(request, carried || isStream(own.body));
  const { url, method, redirect, signal } = request;
  return { request: { url: new URL(url), method, headers, body, redirect }, signal };
};
