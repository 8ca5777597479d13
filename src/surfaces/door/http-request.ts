/**
 * A request as the surfaces need it, whether it comes from Node or as a web request. The web's own
 * object is made on demand, because it costs more than all checks.
 */
import type { SealedAnswer } from './answer.ts';

export interface HttpRequest {
  readonly method: string;
  /** As it was sent, without query. */
  readonly path: string;
  /** Without the question mark; empty when there is none. */
  readonly query: string;
  /** The address of the client, for the limits. */
  readonly address: string;
  /** Reads a header by its name in lower case; several values are joined. */
  header(name: string): string | undefined;
  /** Tells whether a header that must be unique is given twice. */
  isAmbiguous(): boolean;
  hasBody(): boolean;
  /**
   * Reads the body; undefined when there is more than allowed, and the rest is not read. Rejects
   * when the client goes.
   */
  bytes(maxBytes: number): Promise<Uint8Array | undefined>;
  /** Returns a signal that is aborted when the client goes away. */
  signal(): AbortSignal;
  web(): Request;
}

/** Answers one request, always. */
export type Handler = (request: HttpRequest) => Promise<SealedAnswer>;

const readStream = async (request: Request, maxBytes: number): Promise<Uint8Array | undefined> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** Splits a URL into its path and its query. */
export const partsOf = (url: string): readonly [path: string, query: string] => {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  if (start < 0) return ['/', ''];
  const [target = ''] = url.slice(start).split('#', 1);
  const mark = target.indexOf('?');
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
};

/** Wraps the web request of a program that embeds a surface. */
export const fromWebRequest = (request: Request, address: string): HttpRequest => {
  const { method, headers } = request;
  const [path, query] = partsOf(request.url);
  return {
    method,
    path,
    query,
    address,
    header: (name) => headers.get(name) ?? undefined,
    // A web request has joined its duplicate headers already.
    isAmbiguous: () => false,
    hasBody: () => {
      const length = headers.get('content-length');
      return length === null ? request.body !== null : length !== '0';
    },
    bytes: (maxBytes) => readStream(request, maxBytes),
    signal: () => request.signal,
    web: () => request,
  };
};
