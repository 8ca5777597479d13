/** Requests straight from Node, and their answers, without copies or unused objects. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ToolFailure } from '../../contract/errors.ts';
import type { Logger } from '../../contract/runtime.ts';
import type { SealedAnswer, SealedStream, SealedText } from './answer.ts';
import { type Handler, type HttpRequest, partsOf } from './http-request.ts';
import type { Exchange, WebBridge, WebExchange } from './web-bridge.ts';

/** Targets that need no URL parser: those of clients that encode correctly. */
const PLAIN_TARGET = /^\/[!$&-;=?-Z_a-z~]*$/;
const DOT_SEGMENT = /\/\.\.?(?:[/?]|$)/;

/** Tells whether a target needs no decoding, resolving or repair. */
const isPlainTarget = (target: string): boolean =>
  PLAIN_TARGET.test(target) && !target.startsWith('//') && !DOT_SEGMENT.test(target);

export type SignalOf = (socket: Socket) => AbortSignal;

/**
 * Makes one abort signal for each connection, because all its requests lose their client at the same
 * time. One for each request would cost more than reading the request.
 */
export const createConnectionSignals = (): SignalOf => {
  const controllers = new WeakMap<Socket, AbortController>();
  return (socket) => {
    const existing = controllers.get(socket);
    if (existing) return existing.signal;
    const controller = new AbortController();
    controllers.set(socket, controller);
    if (socket.destroyed) controller.abort();
    else socket.once('close', () => controller.abort());
    return controller.signal;
  };
};

const NO_BYTES = Buffer.alloc(0);

/** Reads a body that has arrived; returns nothing when it is too large. */
const readAtOnce = (incoming: IncomingMessage, maxBytes: number): Buffer | undefined =>
  incoming.readableLength > maxBytes ? undefined : ((incoming.read() as Buffer | null) ?? NO_BYTES);

/** Reads a body as it arrives. Resolves to nothing once it is too large; rejects when the client goes. */
const readInPieces = (incoming: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> =>
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
 * Reads the body up to a limit; resolves to nothing when it is larger. A small body comes with its
 * headers, but Node hands it over one turn of the event loop later. Reading it then costs less than
 * listening for its pieces.
 */
export const gatherBody = (
  incoming: IncomingMessage,
  maxBytes: number,
): Promise<Buffer | undefined> =>
  new Promise((resolve) => {
    setImmediate(() => {
      const isHere = incoming.complete && !incoming.destroyed;
      resolve(isHere ? readAtOnce(incoming, maxBytes) : readInPieces(incoming, maxBytes));
    });
  });

/** Writes a text directly: a web response would only be taken apart again. */
const writeText = ({ status, headers, body }: SealedText, exchange: Exchange): void => {
  const { incoming, outgoing } = exchange;
  if (body !== null) headers.push('content-length', String(Buffer.byteLength(body)));
  // An unread body would block the connection, so it is closed with the answer.
  if (!incoming.complete && !headers.includes('connection')) headers.push('connection', 'close');
  outgoing.writeHead(status, headers);
  outgoing.end(body ?? undefined);
};

/** Ends the stream and keeps the headers, for a HEAD request. */
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
  // Sends the headers now, so that the client knows that its stream is open.
  if (stream.isSilent) outgoing.flushHeaders();
  // Not the event `drain`: the backlog that it needs differs between versions of Node.
  const onWritten = (error?: Error | null): void => {
    if (!error && outgoing.writableLength === 0) stream.drained();
  };
  stream.open({
    write: (chunk) => void outgoing.write(chunk, onWritten),
    end: () => void outgoing.end(),
    backlog: () => outgoing.writableLength,
    cut: () => void outgoing.destroy(),
  });
};

/** By length, so that most names need one lookup and no comparison. */
const UNIQUE_HEADERS: ReadonlyMap<number, string> = new Map(
  ['host', 'origin', 'content-type', 'authorization', 'content-length'].map((name) => [
    name.length,
    name,
  ]),
);

/** Finds a header given twice: Node keeps the first, a proxy may have used the other. */
const hasDuplicate = (rawHeaders: readonly string[]): boolean => {
  let seen = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const unique = UNIQUE_HEADERS.get(name.length);
    if (unique === undefined || name.toLowerCase() !== unique) continue;
    const bit = 1 << name.length;
    if ((seen & bit) !== 0) return true;
    seen |= bit;
  }
  return false;
};

export interface NodeDeps {
  readonly signalOf: SignalOf;
  readonly bridge: WebBridge;
  /** The last plain target: most requests have the same one. */
  lastPlain?: string;
}

class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #exchange: Exchange;
  readonly #deps: NodeDeps;
  #opened: WebExchange | undefined = undefined;

  /** Wraps an exchange. Throws when the target is no URL; a 400 has been written then. */
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
    return hasDuplicate(this.#exchange.incoming.rawHeaders);
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

/** Makes the listener of a server: it reads each request, has it answered, and sends the answer. */
export const exchangeListener = (handle: Handler, deps: NodeDeps, log: Logger) => {
  const exchange = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    try {
      const request = new NodeRequest({ incoming, outgoing }, deps);
      request.finish(await handle(request));
    } catch (error) {
      log.debug('an exchange broke off', { cause: String(error) });
      // A `ToolFailure` here means that a 400 has already been written; do not destroy that response.
      if (!(error instanceof ToolFailure)) outgoing.destroy();
    }
  };
  return (incoming: IncomingMessage, outgoing: ServerResponse): void =>
    void exchange(incoming, outgoing);
};
