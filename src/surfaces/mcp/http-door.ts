/** The web-standard handler: gate first, then the body, then the era the request speaks. */
import type { AuthInfo, McpHttpHandler, McpRequestContext } from '@modelcontextprotocol/server';
import { type BuiltServer, buildServer } from './build-server.ts';
import { type Admitted, admit } from './http-gate.ts';
import { LegacySessions } from './legacy-sessions.ts';
import type { McpHttpOptions, McpIdentity } from './mcp-options.ts';
import type { SurfaceSite } from './server-site.ts';
import { identitySession, type McpSession, WaitingCalls } from './session.ts';

export interface HttpDoor {
  fetch(request: Request): Promise<Response>;
  /** The sessions of the 2025 protocols. */
  readonly servers: readonly BuiltServer[];
  /** Tells the subscribers of the 2026-07-28 protocol. */
  readonly notify: McpHttpHandler['notify'];
  close(): Promise<void>;
}

const MOST_BYTES = 4 * 1024 * 1024;
const MOST_CLIENTS = 1000;

const refused = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });

/** Requests of this era have no session: a client's are kept together by who it is. */
const createClients = (): ((identity: McpIdentity) => McpSession) => {
  const known = new Map<string, WaitingCalls>();
  return (identity) => {
    const waiting = known.get(identity.key) ?? new WaitingCalls();
    known.delete(identity.key);
    known.set(identity.key, waiting);
    const [oldest] = known.keys();
    if (known.size > MOST_CLIENTS && oldest !== undefined) known.delete(oldest);
    return identitySession(identity, '', waiting);
  };
};

interface Identified extends AuthInfo {
  extra: { readonly identity: McpIdentity };
}

const authInfoOf = (identity: McpIdentity): Identified => ({
  token: '',
  clientId: identity.key,
  scopes: [],
  extra: { identity },
});

type Body = { readonly value: unknown } | { readonly refused: Response };

const readBody = async (request: Request, { sdk }: SurfaceSite, most: number): Promise<Body> => {
  if (request.method !== 'POST') return { value: undefined };
  if (!sdk.isJsonContentType(request.headers.get('content-type'))) {
    return { refused: refused(415, -32000, 'Content-Type must be application/json') };
  }
  try {
    const body = await sdk.readRequestBody(request, most);
    if (body.tooLarge) return { refused: refused(413, -32000, 'The request is too large') };
    return { value: JSON.parse(body.text) as unknown };
  } catch {
    return { refused: refused(400, -32700, 'Parse error: the body is not valid JSON') };
  }
};

export const createHttpDoor = (site: SurfaceSite, http: McpHttpOptions): HttpDoor => {
  const { sdk, options } = site;
  const { log } = options.runtime;
  const most = http.maxBodyBytes ?? MOST_BYTES;
  const clients = createClients();
  const legacy = new LegacySessions(site);
  const modern = sdk.createMcpHandler(
    ({ authInfo }: McpRequestContext) => {
      const { identity } = (authInfo as Identified).extra;
      return buildServer(site, clients(identity), 'modern').product;
    },
    {
      legacy: 'reject',
      onerror: (error) => log.debug('an MCP request was refused', { cause: error.message }),
    },
  );
  const serve = async (request: Request, { identity }: Admitted & { identity: McpIdentity }) => {
    const body = await readBody(request, site, most);
    if ('refused' in body) return body.refused;
    const { value } = body;
    const isLegacy = await sdk.isLegacyRequest(request, value);
    if (isLegacy) return legacy.handle({ request, identity, body: value });
    const authInfo = authInfoOf(identity);
    return modern.fetch(request, { authInfo, ...(value !== undefined && { parsedBody: value }) });
  };
  return {
    get servers() {
      return legacy.servers;
    },
    notify: modern.notify,
    fetch: async (request) => {
      const admitted = await admit(request, { http, sdk, log });
      return 'refused' in admitted ? admitted.refused : serve(request, admitted);
    },
    close: async () => {
      await modern.close();
      await legacy.close();
    },
  };
};
