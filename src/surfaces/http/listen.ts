/** Listens on a port, with a limit on everything that a client could hold open. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer, Client, PlainAnswer } from './answer.ts';
import { refusal } from './error-reply.ts';
import type { HttpDeps } from './http-deps.ts';

export interface ListenAt {
  readonly host: string;
  readonly port: number;
}

export interface HttpServer {
  readonly url: string;
  /** Takes no more requests, lets those under way finish for so long, then cuts them off. */
  close(graceMs?: number): Promise<void>;
}

export type Ask = (request: Request, client: Client) => Promise<Answer>;

const HEADER_BYTES = 16_384;
const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;
const KEEP_ALIVE_MS = 5_000;
const MOST_HEADERS = 100;
const MOST_CONNECTIONS = 2048;

const serverOptions = ({ limits = {} }: HttpDeps) => {
  const headersTimeout = limits.headersTimeoutMs ?? HEADERS_MS;
  const requestTimeout = limits.requestTimeoutMs ?? REQUEST_MS;
  return {
    maxHeaderSize: HEADER_BYTES,
    headersTimeout,
    // Node wants the whole to last at least as long as a part.
    requestTimeout: Math.max(requestTimeout, headersTimeout),
    keepAliveTimeout: KEEP_ALIVE_MS,
    // By default Node looks for slow ones every 30 seconds only.
    connectionsCheckingInterval: Math.min(1000, headersTimeout),
    insecureHTTPParser: false,
    requireHostHeader: true,
  };
};

const SINGLE = new Set(['host', 'origin', 'authorization', 'content-type', 'content-length']);

/** Node keeps the first of two; a proxy in front may have gone by the other. */
const isAmbiguous = ({ rawHeaders }: IncomingMessage): boolean => {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (!SINGLE.has(name)) continue;
    if (seen.has(name)) return true;
    seen.add(name);
  }
  return false;
};

const AMBIGUOUS = { code: 'VALIDATION_ERROR', message: 'A header is given twice.' } as const;

const clientOf = (incoming: IncomingMessage, outgoing: ServerResponse): Client => {
  let gone: AbortController | undefined;
  return {
    address: incoming.socket.remoteAddress ?? '',
    signal() {
      if (gone) return gone.signal;
      const made = new AbortController();
      gone = made;
      if (outgoing.destroyed) made.abort();
      outgoing.once('close', () => {
        if (!outgoing.writableFinished) made.abort();
      });
      return made.signal;
    },
  };
};

/** Written straight away: a response would only be taken apart again. */
const write = (
  { status, headers, body }: PlainAnswer,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void => {
  // A body that nobody read would keep the connection: it ends with the answer.
  const connection = incoming.complete ? {} : { connection: 'close' };
  const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  outgoing.writeHead(status, { ...headers, ...length, ...connection });
  outgoing.end(body ?? undefined);
};

const open = async (ask: Ask, host: string, deps: HttpDeps): Promise<Server> => {
  const [{ createAdaptorServer }, { RESPONSE_ALREADY_SENT }] = await Promise.all([
    import('@hono/node-server'),
    import('@hono/node-server/utils/response'),
  ]);
  const server = createAdaptorServer({
    fetch: async (request, env) => {
      const incoming = env.incoming as IncomingMessage;
      const outgoing = env.outgoing as ServerResponse;
      const answer = isAmbiguous(incoming)
        ? refusal(AMBIGUOUS)
        : await ask(request, clientOf(incoming, outgoing));
      if (answer instanceof Response) return answer;
      write(answer, incoming, outgoing);
      return RESPONSE_ALREADY_SENT;
    },
    hostname: host,
    overrideGlobalObjects: false,
    serverOptions: serverOptions(deps),
  }) as Server;
  server.maxHeadersCount = MOST_HEADERS;
  server.maxConnections = deps.limits?.maxConnections ?? MOST_CONNECTIONS;
  return server;
};

const shut = (server: Server, { runtime }: HttpDeps, graceMs: number): Promise<void> =>
  new Promise((resolve) => {
    const timer =
      graceMs > 0 ? runtime.after(graceMs, () => server.closeAllConnections()) : undefined;
    server.close(() => {
      timer?.cancel();
      resolve();
    });
    if (graceMs > 0) server.closeIdleConnections();
    else server.closeAllConnections();
  });

/** Rejects when the port cannot be had. */
export const listen = async (
  ask: Ask,
  { host, port }: ListenAt,
  deps: HttpDeps,
): Promise<HttpServer> => {
  const server = await open(ask, host, deps);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${bound}`, close: (graceMs = 0) => shut(server, deps, graceMs) };
};
