/** Listens for MCP over HTTP on this machine: one path, one token, behind the checks of the surface. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Logger } from '../../../contract/runtime.ts';
import type { Handler } from '../../door/http-request.ts';
import { type HttpServer, listen } from '../../door/listen.ts';
import type { McpSurface } from '../create-mcp-surface.ts';
import type { McpHttpOptions, McpIdentity } from '../mcp-options.ts';

interface ListenOptions {
  readonly port: number;
  readonly log: Logger;
  readonly host?: string;
}

const PATH = '/mcp';
const LOOPBACK = '127.0.0.1';
const MAX_CONNECTIONS = 256;

/** Listens; rejects when the port cannot be opened. */
export const serveMcpHttp = async (
  surface: Pick<McpSurface, 'answer'>,
  { port, log, host = LOOPBACK }: ListenOptions,
): Promise<HttpServer> => {
  const handle: Handler = async (request) =>
    request.path === PATH ? surface.answer(request) : { status: 404, headers: [], body: null };
  const limits = { maxConnections: MAX_CONNECTIONS };
  const server = await listen(handle, { host, port }, { log, limits });
  return { url: `${server.url}${PATH}`, close: server.close };
};

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

export const newToken = (): string => randomBytes(24).toString('base64url');

/** Makes the check of one token, compared in constant time. Throws when the token is empty. */
export const bearerToken = (
  token: string,
  identity: McpIdentity,
): McpHttpOptions['authenticate'] => {
  if (token === '') throw new TypeError('A token must not be empty.');
  const expected = digest(token);
  return (request) => {
    const credential = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
    return credential !== undefined && timingSafeEqual(digest(credential), expected)
      ? identity
      : undefined;
  };
};
