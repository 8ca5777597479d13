/** Listens on a port, with a limit on everything that a client could hold open. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ToolFailure } from '../../contract/errors.ts';
import type { SealedAnswer } from './answer.ts';
import type { HttpDeps } from './http-deps.ts';
import type { HttpRequest } from './http-request.ts';
import { createConnectionSignals, NodeRequest, type NodeSite } from './node-request.ts';
import { createWebBridge } from './web-bridge.ts';

export interface ListenAt {
  readonly host: string;
  readonly port: number;
}

export interface HttpServer {
  readonly url: string;
  /** Takes no more requests, lets those under way finish for so long, then cuts them off. */
  close(graceMs?: number): Promise<void>;
}

/** Answers always. */
export type Ask = (request: HttpRequest) => Promise<SealedAnswer | Response>;

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

const exchangeHandler =
  (ask: Ask, site: NodeSite, { runtime }: HttpDeps) =>
  async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    try {
      const request = new NodeRequest({ incoming, outgoing }, site);
      request.finish(await ask(request));
    } catch (error) {
      runtime.log.debug('an exchange broke off', { cause: String(error) });
      // Whoever was told that its address is none still gets to hear it.
      if (!(error instanceof ToolFailure)) outgoing.destroy();
    }
  };

const open = async (ask: Ask, deps: HttpDeps): Promise<Server> => {
  const { createServer } = await import('node:http');
  const site = { signalOf: createConnectionSignals(), bridge: await createWebBridge() };
  const handle = exchangeHandler(ask, site, deps);
  const server = createServer(serverOptions(deps), (incoming, outgoing) => {
    void handle(incoming, outgoing);
  });
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
  const server = await open(ask, deps);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${bound}`, close: (graceMs = 0) => shut(server, deps, graceMs) };
};
