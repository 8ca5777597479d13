/** Requests straight from Node, and their answers: nothing is copied or built that nobody asks for. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { SealedAnswer, SealedStream, SealedText } from './answer.ts';
import { type HttpRequest, partsOf } from './http-request.ts';
import type { Exchange, WebBridge, WebExchange } from './web-bridge.ts';

/** What a client that encodes properly sends; all else is left to a real parser of addresses. */
const PLAIN_TARGET = /^\/[!$&-;=?-Z_a-z~]*$/;
const DOT_SEGMENT = /\/\.\.?(?:[/?]|$)/;

/** Says whether the target means what it says, without anything to decode, resolve or repair. */
export const isPlainTarget = (target: string): boolean =>
  PLAIN_TARGET.test(target) && !target.startsWith('//') && !DOT_SEGMENT.test(target);

export type SignalOf = (socket: Socket) => AbortSignal;

/**
 * Makes one signal a connection, since all requests on it lose their client at the same time. One
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

const NO_BYTES = Buffer.alloc(0);

/** Takes a body that is all there; nothing when it is too much. */
const taken = (incoming: IncomingMessage, maxBytes: number): Buffer | undefined =>
  incoming.readableLength > maxBytes ? undefined : ((incoming.read() as Buffer | null) ?? NO_BYTES);

/** Reads it as it arrives. Resolves to nothing as soon as it is too much; rejects when the client goes. */
const pieceByPiece = (incoming: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (settle: () => void): void => {
      incoming.off('data', take).off('end', whole).off('error', cut).off('close', cut);
      settle();
    };
    const take = (chunk: Buffer): void => {
      size += chunk.byteLength;
      chunks.push(chunk);
      if (size <= maxBytes) return;
      incoming.pause();
      end(() => resolve(undefined));
    };
    const whole = (): void => end(() => resolve(Buffer.concat(chunks)));
    const cut = (): void => end(() => reject(new TypeError('The client has gone.')));
    incoming.on('data', take).on('end', whole).on('error', cut).on('close', cut);
    if (incoming.destroyed) cut();
  });

/**
 * Reads the body up to a limit; resolves to nothing when there is more. A small body comes with its
 * headers, but Node hands it over only after them: a turn later it is all there, and taking it then
 * costs less than being told of each piece.
 */
export const gatherBody = (
  incoming: IncomingMessage,
  maxBytes: number,
): Promise<Buffer | undefined> =>
  new Promise((resolve) => {
    setImmediate(() => {
      const isHere = incoming.complete && !incoming.destroyed;
      resolve(isHere ? taken(incoming, maxBytes) : pieceByPiece(incoming, maxBytes));
    });
  });

/** Writes a text straight away: a web response would only be taken apart again. */
const writeText = ({ status, headers, body }: SealedText, exchange: Exchange): void => {
  const { incoming, outgoing } = exchange;
  if (body !== null) headers.push('content-length', String(Buffer.byteLength(body)));
  // A body that nobody read would keep the connection: it ends with the answer.
  if (!incoming.complete && !headers.includes('connection')) headers.push('connection', 'close');
  outgoing.writeHead(status, headers);
  outgoing.end(body ?? undefined);
};

/** Ends the stream, of which HEAD wants nothing but the headers. */
const headOf = ({ status, headers, stream }: SealedStream): SealedText => {
  stream.leave();
  return { status, headers, body: null };
};

/** Writes events as they come, until the stream ends or the client goes. */
const writeEvents = ({ status, headers, stream }: SealedStream, outgoing: ServerResponse): void => {
  if (outgoing.destroyed) {
    stream.leave();
    return;
  }
  outgoing.once('close', () => stream.leave());
  outgoing.writeHead(status, headers);
  // So that the client knows at once that its stream is open, although nothing was sent yet.
  if (stream.isSilent) outgoing.flushHeaders();
  // Not the event `drain`: it is told only after a backlog that differs between versions of Node.
  const onTaken = (error?: Error | null): void => {
    if (!error && outgoing.writableLength === 0) stream.drained();
  };
  stream.open({
    write: (chunk) => void outgoing.write(chunk, onTaken),
    end: () => void outgoing.end(),
    backlog: () => outgoing.writableLength,
    cut: () => void outgoing.destroy(),
  });
};

/** Lower case, by length: most names need no second look. */
const SINGLE: ReadonlyMap<number, string> = new Map(
  ['host', 'origin', 'content-type', 'authorization', 'content-length'].map((name) => [
    name.length,
    name,
  ]),
);

/** Finds a header given twice: Node keeps the first, a proxy in front may have gone by the other. */
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

export interface NodeDeps {
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
  readonly #deps: NodeDeps;
  #opened: WebExchange | undefined = undefined;

  /** Throws when the target is no address; the client has been told then. */
  constructor(exchange: Exchange, deps: NodeDeps) {
    this.#exchange = exchange;
    this.#deps = deps;
    const { method = '', url = '' } = exchange.incoming;
    this.method = method;
    if (url === deps.lastPlain || isPlainTarget(url)) {
      deps.lastPlain = url;
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

  bytes(maxBytes: number): Promise<Uint8Array | undefined> {
    return gatherBody(this.#exchange.incoming, maxBytes);
  }

  signal(): AbortSignal {
    return this.#deps.signalOf(this.#exchange.incoming.socket);
  }

  web(): Request {
    this.#opened ??= this.#deps.bridge(this.#exchange);
    return this.#opened.request;
  }

  /** Sends the answer; a web response goes back through the bridge that made the web request. */
  finish(answer: SealedAnswer): void {
    if (answer instanceof Response) {
      this.#opened ??= this.#deps.bridge(this.#exchange);
      this.#opened.respond(answer);
      return;
    }
    if (!('stream' in answer)) writeText(answer, this.#exchange);
    else if (this.method === 'HEAD') writeText(headOf(answer), this.#exchange);
    else writeEvents(answer, this.#exchange.outgoing);
    this.#opened?.respond(undefined);
  }
}
