/** The way in over HTTP: gate first, then the body, then the era the request speaks. */
import type { AuthInfo, McpHttpHandler, McpRequestContext } from '@modelcontextprotocol/server';
import { BoundedMap } from '../../../kit/data/bounded-map.ts';
import { parseStrictJson } from '../../../kit/text/strict-json.ts';
import { type BuiltServer, buildServer } from '../build-server.ts';
import { parseError } from '../call/parse-error.ts';
import { isPlainRequest } from '../call/plain-request.ts';
import type { Sdk } from '../load-sdk.ts';
import type { McpHttpOptions, McpIdentity } from '../mcp-options.ts';
import type { SurfaceSite } from '../server-site.ts';
import { identitySession, type McpSession, WaitingCalls } from '../session.ts';
import { type DoorAnswer, type PlainAnswer, refusal, toResponse } from './door-answer.ts';
import { type DoorRequest, fromWebRequest } from './door-request.ts';
import { createGate } from './http-gate.ts';
import { LegacySessions } from './legacy-sessions.ts';

export interface HttpDoor {
  answer(request: DoorRequest): Promise<DoorAnswer>;
  /** The same for the web's own objects. */
  fetch(request: Request): Promise<Response>;
  /** The sessions of the 2025 protocols. */
  readonly servers: readonly BuiltServer[];
  /** Tells the subscribers of the 2026-07-28 protocol. */
  readonly notify: McpHttpHandler['notify'];
  close(): Promise<void>;
}

const MOST_BYTES = 4 * 1024 * 1024;
const MOST_CLIENTS = 1000;

/** Requests of this era have no session: a client's are kept together by who it is. */
const createClients = (): ((identity: McpIdentity) => McpSession) => {
  const known = new BoundedMap<string, WaitingCalls>(MOST_CLIENTS);
  return (identity) => {
    const waiting = known.get(identity.key) ?? new WaitingCalls();
    known.set(identity.key, waiting);
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

type Body = { readonly value: unknown } | { readonly refused: PlainAnswer };

const NO_JSON = { code: -32700, message: 'Parse error: the body is not valid JSON' };

const readBody = async (
  request: DoorRequest,
  { sdk }: SurfaceSite,
  most: number,
): Promise<Body> => {
  if (request.method !== 'POST') return { value: undefined };
  if (!sdk.isJsonContentType(request.header('content-type'))) {
    return { refused: refusal(415, { message: 'Content-Type must be application/json' }) };
  }
  try {
    const text = await request.text(most);
    if (text === undefined)
      return { refused: refusal(413, { message: 'The request is too large' }) };
    const json = parseStrictJson(text);
    return 'value' in json ? json : { refused: refusal(400, parseError(json.flaw)) };
  } catch {
    return { refused: refusal(400, NO_JSON) };
  }
};

/** Is this a request of the 2025 protocols? The library is asked where that cannot be seen at once. */
const createEraCheck = (sdk: Sdk) => {
  const versions: ReadonlySet<string | null> = new Set([null, ...sdk.SUPPORTED_PROTOCOL_VERSIONS]);
  return (request: DoorRequest, body: unknown): boolean | Promise<boolean> =>
    (isPlainRequest(body) && versions.has(request.header('mcp-protocol-version'))) ||
    sdk.isLegacyRequest(request.web(), body);
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
  const gate = createGate({ http, sdk, log });
  const isLegacy = createEraCheck(sdk);
  const answer: HttpDoor['answer'] = async (request) => {
    const asking = gate(request);
    const admitted = asking instanceof Promise ? await asking : asking;
    if ('refused' in admitted) return admitted.refused;
    const { identity } = admitted;
    const body = await readBody(request, site, most);
    if ('refused' in body) return body.refused;
    const { value } = body;
    const isOld = isLegacy(request, value);
    if (isOld === true || (await isOld)) return legacy.handle({ request, identity, body: value });
    const given = {
      authInfo: authInfoOf(identity),
      ...(value !== undefined && { parsedBody: value }),
    };
    return modern.fetch(request.web(), given);
  };
  return {
    get servers() {
      return legacy.servers;
    },
    notify: modern.notify,
    answer,
    fetch: async (request) => toResponse(await answer(fromWebRequest(request, sdk))),
    close: async () => {
      await modern.close();
      await legacy.close();
    },
  };
};
