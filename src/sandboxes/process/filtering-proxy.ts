/**
 * The only network access of a sandbox: an HTTP proxy on a socket of the host. It does not judge hosts
 * itself: it reads the target of a request, asks for a checked connection, and counts bytes.
 */
import { once, setMaxListeners } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ToolFailure } from '../../contract/errors.ts';
import { type ProxyTarget, readAbsolute, readAuthority } from './read-target.ts';

/** Rejects with a ToolFailure when the target may not be reached or cannot be. */
export type Connect = (to: ProxyTarget, signal: AbortSignal) => Promise<Socket>;

export interface ProxyLimits {
  /** At the same time. */
  readonly connections: number;
  /** Of all connections together, in both directions. */
  readonly bytes: number;
  /** Without a byte in either direction. */
  readonly idleMs: number;
}

export interface FilteringProxy {
  /** What was refused, and why, for the result. */
  readonly refusals: readonly string[];
  /** Lets the process end while the proxy listens. */
  unref(): void;
  /** Ends all connections. */
  close(): Promise<void>;
}

export interface ProxyOptions {
  readonly socketPath: string;
  readonly connect: Connect;
  readonly limits: ProxyLimits;
}

const MAX_REFUSALS = 20;
const HEADER_BYTES = 32 * 1024;
const HEADERS_MS = 30_000;

/** Headers of one connection. They are not passed on, so they cannot be used to split requests. */
const HOP_BY_HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'host', 'expect', 'http2-settings'],
]);

const passedOn = (headers: IncomingHttpHeaders): Record<string, string | string[]> => {
  const named = String(headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  return Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string | string[]] =>
        entry[1] !== undefined && !HOP_BY_HOP.has(entry[0]) && !named.includes(entry[0]),
    ),
  );
};

const statusOf = (error: unknown): number => {
  const code = error instanceof ToolFailure ? error.code : 'INTERNAL';
  return code === 'NETWORK' || code === 'TIMEOUT' || code === 'INTERNAL' ? 502 : 403;
};

const UNREADABLE = 'the address cannot be read';

class HostProxy implements FilteringProxy {
  readonly refusals: string[] = [];
  readonly #options: ProxyOptions;
  readonly #ending = new AbortController();
  readonly #open = new Set<Duplex>();
  readonly #server: Server;
  #bytes = 0;

  constructor(options: ProxyOptions) {
    this.#options = options;
    // One for each connection that is being made.
    setMaxListeners(options.limits.connections + 1, this.#ending.signal);
    this.#server = createServer({ maxHeaderSize: HEADER_BYTES, headersTimeout: HEADERS_MS });
    this.#server.maxConnections = options.limits.connections;
    this.#server.on('connection', (socket) => this.#keep(socket));
    this.#server.on('connect', (request, client, head) => {
      void this.#tunnel(request, client, head);
    });
    this.#server.on('request', (request, response) => void this.#forward(request, response));
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  async listen(): Promise<this> {
    this.#server.listen(this.#options.socketPath);
    await once(this.#server, 'listening');
    return this;
  }

  unref(): void {
    this.#server.unref();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#breakOff();
    await closed;
  }

  #breakOff(): void {
    for (const stream of this.#open) stream.destroy();
  }

  /** Keeps a connection until it closes, and ends it when it is idle. */
  #keep(socket: Socket): void {
    if (this.#ending.signal.aborted) return void socket.destroy();
    this.#open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#open.delete(socket));
    socket.setTimeout(this.#options.limits.idleMs, () => socket.destroy());
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.#options.limits.bytes) return;
    this.#note('every host', 'more was transferred than the run may');
    this.#breakOff();
  }

  #note(where: string, why: string): void {
    const line = `Connection to ${where} refused: ${why}`;
    if (this.refusals.length < MAX_REFUSALS && !this.refusals.includes(line)) {
      this.refusals.push(line);
    }
  }

  async #reach(to: ProxyTarget): Promise<Socket> {
    if (this.#bytes > this.#options.limits.bytes) throw new ToolFailure('PERMISSION_DENIED');
    try {
      const socket = await this.#options.connect(to, this.#ending.signal);
      this.#keep(socket);
      return socket;
    } catch (error) {
      const why = error instanceof ToolFailure ? error.message : 'it failed.';
      this.#note(`${to.host}:${to.port}`, why);
      throw error;
    }
  }

  async #tunnel({ url = '' }: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const to = readAuthority(url);
    if (to === undefined) {
      this.#note('a host', UNREADABLE);
      return void client.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
    }
    try {
      const remote = await this.#reach(to);
      client.on('close', () => remote.destroy());
      remote.on('close', () => client.destroy());
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      this.#count(head.length);
      remote.write(head);
      for (const side of [client, remote]) {
        side.on('data', (chunk: Buffer) => this.#count(chunk.length));
      }
      client.pipe(remote);
      remote.pipe(client);
    } catch (error) {
      const status = statusOf(error);
      client.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\n\r\n`);
    }
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const to = readAbsolute(request.url ?? '');
    const fail = (status: number): void => {
      if (response.headersSent) response.destroy();
      else response.writeHead(status, { connection: 'close' }).end();
    };
    if (to === undefined) {
      this.#note('a host', UNREADABLE);
      return fail(400);
    }
    try {
      const remote = await this.#reach(to);
      const onward = httpRequest({
        createConnection: () => remote,
        method: request.method,
        path: to.path,
        // The host that was judged, whatever the client wrote into its own header.
        headers: { ...passedOn(request.headers), host: to.authority, connection: 'close' },
      });
      onward.on('error', () => fail(502));
      onward.on('response', (answer) => this.#answer(answer, response));
      response.on('close', () => remote.destroy());
      request.on('data', (chunk: Buffer) => this.#count(chunk.length));
      request.pipe(onward);
    } catch (error) {
      fail(statusOf(error));
    }
  }

  #answer(answer: IncomingMessage, response: ServerResponse): void {
    answer.on('data', (chunk: Buffer) => this.#count(chunk.length));
    answer.on('error', () => response.destroy());
    response.writeHead(answer.statusCode ?? 502, passedOn(answer.headers));
    answer.pipe(response);
  }
}

/** Listens when it resolves. */
export const createFilteringProxy = (options: ProxyOptions): Promise<FilteringProxy> =>
  new HostProxy(options).listen();
