/** A request straight from Node: nothing is copied or built that nobody asks for. */
import type { Socket } from 'node:net';
import { gatherBody } from '../gather-body.ts';
import type { SealedAnswer } from './answer.ts';
import { type HttpRequest, partsOf } from './http-request.ts';
import type { Exchange, WebBridge, WebExchange } from './web-bridge.ts';

/** What a client that encodes properly sends; all else is left to a real parser of addresses. */
const PLAIN_TARGET = /^\/[!$&-;=?-Z_a-z~]*$/;
const DOT_SEGMENT = /\/\.\.?(?:[/?]|$)/;

/** Does the target mean what it says, without anything to decode, resolve or repair? */
export const isPlainTarget = (target: string): boolean =>
  PLAIN_TARGET.test(target) && !target.startsWith('//') && !DOT_SEGMENT.test(target);

export type SignalOf = (socket: Socket) => AbortSignal;

/**
 * One signal a connection, since all requests on it lose their client at the same time. Making one
 * for each request would cost more than reading it.
 */
export const createConnectionSignals = (): SignalOf => {
  const known = new WeakMap<Socket, AbortController>();
  return (socket) => {
    const kept = known.get(socket);
    if (kept) return kept.signal;
    const gone = new AbortController();
    known.set(socket, gone);
    if (socket.destroyed) gone.abort();
    else socket.once('close', () => gone.abort());
    return gone.signal;
  };
};

/** Written straight away: a response would only be taken apart again. */
const write = ({ status, headers, body }: SealedAnswer, { incoming, outgoing }: Exchange): void => {
  if (body !== null) headers.push('content-length', String(Buffer.byteLength(body)));
  // A body that nobody read would keep the connection: it ends with the answer.
  if (!incoming.complete && !headers.includes('connection')) headers.push('connection', 'close');
  outgoing.writeHead(status, headers);
  outgoing.end(body ?? undefined);
};

/** Lower case, by length: most names need no second look. */
const SINGLE: ReadonlyMap<number, string> = new Map(
  ['host', 'origin', 'content-type', 'authorization', 'content-length'].map((name) => [
    name.length,
    name,
  ]),
);

/** Node keeps the first of two; a proxy in front may have gone by the other. */
const isTwice = (rawHeaders: readonly string[]): boolean => {
  let seen = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const single = SINGLE.get(name.length);
    if (single === undefined || name.toLowerCase() !== single) continue;
    const bit = 1 << name.length;
    if ((seen & bit) !== 0) return true;
    seen |= bit;
  }
  return false;
};

export interface NodeSite {
  readonly signalOf: SignalOf;
  readonly bridge: WebBridge;
  /** The same few targets are asked for all the time. */
  lastPlain?: string;
}

export class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #exchange: Exchange;
  readonly #site: NodeSite;
  #opened: WebExchange | undefined = undefined;

  /** Throws when the target is no address; the client has been told then. */
  constructor(exchange: Exchange, site: NodeSite) {
    this.#exchange = exchange;
    this.#site = site;
    const { method = '', url = '' } = exchange.incoming;
    this.method = method;
    if (url === site.lastPlain || isPlainTarget(url)) {
      site.lastPlain = url;
      const mark = url.indexOf('?');
      this.path = mark < 0 ? url : url.slice(0, mark);
      this.query = mark < 0 ? '' : url.slice(mark + 1);
    } else [this.path, this.query] = partsOf(this.web().url);
  }

  get address(): string {
    return this.#exchange.incoming.socket.remoteAddress ?? '';
  }

  header(name: string): string | undefined {
    const { headers } = this.#exchange.incoming;
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    return typeof value === 'string' ? value : value?.join(', ');
  }

  isAmbiguous(): boolean {
    return isTwice(this.#exchange.incoming.rawHeaders);
  }

  hasBody(): boolean {
    const length = this.header('content-length');
    return length === undefined ? this.header('transfer-encoding') !== undefined : length !== '0';
  }

  bytes(most: number): Promise<Uint8Array | undefined> {
    return gatherBody(this.#exchange.incoming, most);
  }

  signal(): AbortSignal {
    return this.#site.signalOf(this.#exchange.incoming.socket);
  }

  web(): Request {
    this.#opened ??= this.#site.bridge(this.#exchange);
    return this.#opened.request;
  }

  /** Sends the answer, in the way of whoever has the request. */
  finish(answer: SealedAnswer | Response): void {
    if (answer instanceof Response) {
      this.#opened ??= this.#site.bridge(this.#exchange);
      this.#opened.respond(answer);
      return;
    }
    write(answer, this.#exchange);
    this.#opened?.respond(undefined);
  }
}
