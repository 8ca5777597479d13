/** A request straight from Node: nothing is copied or built that nobody asks for. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpRequest } from './http-request.ts';

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

/** As it arrives. Resolves to nothing as soon as it is too much; rejects when the client goes. */
const gather = (incoming: IncomingMessage, most: number): Promise<Uint8Array | undefined> =>
  new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const end = (settle: () => void): void => {
      incoming.off('data', take).off('end', whole).off('error', cut).off('close', cut);
      settle();
    };
    const take = (chunk: Uint8Array): void => {
      size += chunk.byteLength;
      chunks.push(chunk);
      if (size <= most) return;
      incoming.pause();
      end(() => resolve(undefined));
    };
    const whole = (): void => end(() => resolve(Buffer.concat(chunks)));
    const cut = (): void => end(() => reject(new TypeError('The client has gone.')));
    incoming.on('data', take).on('end', whole).on('error', cut).on('close', cut);
    if (incoming.destroyed) cut();
  });

const NOTHING = new Uint8Array(0);

export interface NodeRequestSite {
  readonly signalOf: SignalOf;
  web(): Request;
}

export class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #incoming: IncomingMessage;
  readonly #site: NodeRequestSite;

  /** The target must be plain. */
  constructor(incoming: IncomingMessage, site: NodeRequestSite) {
    const { method = '', url = '' } = incoming;
    const mark = url.indexOf('?');
    this.method = method;
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? '' : url.slice(mark + 1);
    this.#incoming = incoming;
    this.#site = site;
  }

  get address(): string {
    return this.#incoming.socket.remoteAddress ?? '';
  }

  header(name: string): string | undefined {
    const { headers } = this.#incoming;
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    return typeof value === 'string' ? value : value?.join(', ');
  }

  hasBody(): boolean {
    const length = this.header('content-length');
    return length === undefined ? this.header('transfer-encoding') !== undefined : length !== '0';
  }

  async bytes(most: number): Promise<Uint8Array | undefined> {
    const incoming = this.#incoming;
    if (!incoming.complete || incoming.destroyed) return gather(incoming, most);
    // A small body has come with its headers: taking it at once spares a round of events.
    if (incoming.readableLength > most) return undefined;
    return (incoming.read() as Uint8Array | null) ?? NOTHING;
  }

  signal(): AbortSignal {
    return this.#site.signalOf(this.#incoming.socket);
  }

  web(): Request {
    return this.#site.web();
  }
}
