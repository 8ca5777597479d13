/** Listens for MCP over HTTP on this machine: one path, behind the checks of the surface. */
import type { Logger } from '../../../contract/runtime.ts';
import { type Handler, type HttpServer, listen } from '../../door/listen.ts';
import type { McpSurface } from '../create-mcp-surface.ts';

export type McpHttpServer = HttpServer;

export interface ListenOptions {
  readonly port: number;
  readonly log: Logger;
  readonly host?: string;
}

const PATH = '/mcp';
const LOOPBACK = '127.0.0.1';
const MAX_CONNECTIONS = 256;

/** Listens; rejects when the port cannot be had. */
export const serveMcpHttp = async (
  surface: Pick<McpSurface, 'answer'>,
  { port, log, host = LOOPBACK }: ListenOptions,
): Promise<McpHttpServer> => {
  const handle: Handler = async (request) =>
    request.path === PATH ? surface.answer(request) : { status: 404, headers: [], body: null };
  const limits = { maxConnections: MAX_CONNECTIONS };
  const server = await listen(handle, { host, port }, { log, limits });
  return { url: `${server.url}${PATH}`, close: server.close };
};
