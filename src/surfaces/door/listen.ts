/** Listens on a port, with limits on whatever a client could keep open. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Runtime } from '../../contract/runtime.ts';
import type { Handler } from './http-request.ts';
import { createConnectionSignals, exchangeListener } from './node-request.ts';
import { createWebBridge } from './web-bridge.ts';

export interface ListenAt {
  readonly host: string;
  readonly port: number;
}

export interface HttpServer {
  readonly url: string;
  /** Takes no new requests, lets open ones finish for `graceMs`, then closes their connections. */
  close(graceMs?: number): Promise<void>;
}

export interface ListenLimits {
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  readonly maxConnections?: number;
}

export interface ListenDeps {
  readonly log: Runtime['log'];
  /** Times the grace period of `close`; without it connections are closed at once. */
  readonly after?: Runtime['after'];
  readonly limits?: ListenLimits;
}

const MAX_HEADER_BYTES = 16_384;
const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;
const KEEP_ALIVE_MS = 5_000;
const MAX_HEADERS = 100;
const MAX_CONNECTIONS = 2048;

const serverOptions = ({ limits = {} }: ListenDeps) => {
  const headersTimeout = limits.headersTimeoutMs ?? HEADERS_MS;
  const requestTimeout = limits.requestTimeoutMs ?? REQUEST_MS;
  return {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout,
    // Node refuses a limit for the request that is below the limit for its headers.
    requestTimeout: Math.max(requestTimeout, headersTimeout),
    keepAliveTimeout: KEEP_ALIVE_MS,
    // By default Node checks for slow requests every 30 seconds only.
    connectionsCheckingInterval: Math.min(1000, headersTimeout),
    insecureHTTPParser: false,
    requireHostHeader: true,
  };
};

const open = async (handle: Handler, deps: ListenDeps): Promise<Server> => {
  const { createServer } = await import('node:http');
  const node = { signalOf: createConnectionSignals(), bridge: await createWebBridge() };
  const server = createServer(serverOptions(deps), exchangeListener(handle, node, deps.log));
  server.maxHeadersCount = MAX_HEADERS;
  server.maxConnections = deps.limits?.maxConnections ?? MAX_CONNECTIONS;
  return server;
};

const shut = (server: Server, { after }: ListenDeps, graceMs: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = graceMs > 0 ? after?.(graceMs, () => server.closeAllConnections()) : undefined;
    server.close(() => {
      timer?.cancel();
      resolve();
    });
    if (timer) server.closeIdleConnections();
    else server.closeAllConnections();
  });

/** Listens; rejects when the port cannot be opened. */
export const listen = async (
  handle: Handler,
  { host, port }: ListenAt,
  deps: ListenDeps,
): Promise<HttpServer> => {
  const server = await open(handle, deps);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${bound}`, close: (graceMs = 0) => shut(server, deps, graceMs) };
};
