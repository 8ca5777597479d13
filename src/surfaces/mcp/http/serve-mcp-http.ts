/** Listens for MCP over HTTP on this machine, with limits on everything a client could hold open. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '../../../contract/runtime.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import type { McpSurface } from '../create-mcp-surface.ts';
import { fromNode, writeAnswer } from './node-exchange.ts';

export interface McpHttpServer {
  readonly url: string;
  close(): Promise<void>;
}

export interface ListenOptions {
  readonly port: number;
  readonly log: Logger;
  readonly host?: string;
}

const PATH = '/mcp';
const LOOPBACK = '127.0.0.1';

const isOurs = ({ url = '' }: IncomingMessage): boolean =>
  url === PATH || url.startsWith(`${PATH}?`);

const limit = (server: Server): void => {
  server.headersTimeout = 10_000;
  server.requestTimeout = 60_000;
  server.keepAliveTimeout = 5_000;
  server.maxHeadersCount = 100;
  server.maxConnections = 256;
};

const answer = async (
  surface: McpSurface,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  if (!isOurs(incoming)) return void response.writeHead(404).end();
  const answered = await surface.answer(fromNode(incoming, response));
  // A body that nobody read would keep the connection: it ends with the answer.
  if (!incoming.complete) response.shouldKeepAlive = false;
  await writeAnswer(answered, response);
};

/** Rejects when the port cannot be had. */
export const serveMcpHttp = async (
  surface: McpSurface,
  { port, log, host = LOOPBACK }: ListenOptions,
): Promise<McpHttpServer> => {
  const server = createServer({ maxHeaderSize: 16_384 }, (incoming, response) => {
    answer(surface, incoming, response).catch((error: unknown) => {
      const cause = reasonOf(error);
      log.debug('an HTTP exchange broke off', { cause });
      if (!response.headersSent) response.writeHead(500).end();
      else response.destroy();
    });
  });
  limit(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${bound}${PATH}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
