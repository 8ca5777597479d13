/** Handles a request of a known client over HTTP: its body first, then the era that it speaks. */
import type { AuthInfo, McpHttpHandler, McpRequestContext } from '@modelcontextprotocol/server';
import type { Answer, PlainAnswer } from '../../door/answer.ts';
import type { HttpRequest } from '../../door/http-request.ts';
import { type BodyFault, readBody } from '../../door/read-body.ts';
import { type BuiltServer, buildServer } from '../build-server.ts';
import { isPlainRequest } from '../call/plain-calls.ts';
import { isListenRequest, ListenedResources } from '../lists/listened-resources.ts';
import type { Sdk } from '../load-sdk.ts';
import type { McpIdentity } from '../mcp-options.ts';
import { parseError, refusal } from '../rpc-refusal.ts';
import { identitySession, type McpSession, WaitingCalls } from '../session.ts';
import type { SurfaceDeps } from '../surface-deps.ts';
import { LegacySessions } from './legacy-sessions.ts';
import { untilClosed } from './listen-answer.ts';

/** Handles one request; where it comes from and who sends it was checked before. */
export type HandleRequest = (request: HttpRequest, identity: McpIdentity) => Promise<Answer>;

export interface RequestHandler {
  readonly handle: HandleRequest;
  /** The sessions of the 2025 protocols. */
  readonly servers: readonly BuiltServer[];
  /** Tells the subscribers of the 2026-07-28 protocol. */
  readonly notify: McpHttpHandler['notify'];
  close(): Promise<void>;
}

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_CLIENTS = 1000;

/** Makes the sessions of the era that has none: a client's requests are kept together by its key. */
const createClients = (): ((identity: McpIdentity) => McpSession) => {
  const known = new Map<string, WaitingCalls>();
  return (identity) => {
    const waiting = known.get(identity.key) ?? new WaitingCalls();
    known.delete(identity.key);
    known.set(identity.key, waiting);
    const [oldest] = known.keys();
    if (known.size > MAX_CLIENTS && oldest !== undefined) known.delete(oldest);
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

const NO_BODY: Body = { value: undefined };
const NO_JSON = { code: -32700, message: 'Parse error: the body is not valid JSON' };

const bodyRefusal = ({ status, message, flaw }: BodyFault): PlainAnswer =>
  refusal(status, flaw ? parseError(flaw) : { message });

const readMessage = async (request: HttpRequest, maxBytes: number): Promise<Body> => {
  if (request.method !== 'POST') return NO_BODY;
  try {
    const body = await readBody(request, { maxBytes });
    if ('fault' in body) return { refused: bodyRefusal(body.fault) };
    return body.value === undefined ? { refused: refusal(400, NO_JSON) } : body;
  } catch {
    // The client has gone, or stopped sending.
    return { refused: refusal(400, NO_JSON) };
  }
};

/** Tells requests of the 2025 protocols; the library is asked where that cannot be seen at once. */
const createEraCheck = (sdk: Sdk) => {
  const versions: ReadonlySet<string | undefined> = new Set([
    undefined,
    ...sdk.SUPPORTED_PROTOCOL_VERSIONS,
  ]);
  return (request: HttpRequest, body: unknown): boolean | Promise<boolean> =>
    (isPlainRequest(body) && versions.has(request.header('mcp-protocol-version'))) ||
    sdk.isLegacyRequest(request.web(), body);
};

const createModernHandler = (deps: SurfaceDeps): McpHttpHandler => {
  const { sdk, options } = deps;
  const { log } = options.runtime;
  const clients = createClients();
  return sdk.createMcpHandler(
    ({ authInfo }: McpRequestContext) => {
      const { identity } = (authInfo as Identified).extra;
      return buildServer(deps, clients(identity), 'modern').product;
    },
    {
      legacy: 'reject',
      onerror: (error) => log.debug('an MCP request was refused', { cause: error.message }),
    },
  );
};

export const createRequestHandler = (deps: SurfaceDeps): RequestHandler => {
  const { sdk, options } = deps;
  const maxBytes = options.maxBodyBytes ?? MAX_BYTES;
  const legacy = new LegacySessions(deps);
  const modern = createModernHandler(deps);
  const listened = new ListenedResources(deps, (uri) => modern.notify.resourceUpdated(uri));
  const isLegacy = createEraCheck(sdk);
  const handle: HandleRequest = async (request, identity) => {
    const body = await readMessage(request, maxBytes);
    if ('refused' in body) return body.refused;
    const { value } = body;
    const isOld = isLegacy(request, value);
    if (isOld === true || (await isOld)) return legacy.handle({ request, identity, body: value });
    const given = (parsedBody: unknown) => ({
      authInfo: authInfoOf(identity),
      ...(parsedBody !== undefined && { parsedBody }),
    });
    if (!isListenRequest(value)) return modern.fetch(request.web(), given(value));
    const { message, stop } = await listened.open(value);
    const response = await modern.fetch(request.web(), given(message));
    return untilClosed(response, request.signal(), stop);
  };
  return {
    get servers() {
      return legacy.servers;
    },
    notify: modern.notify,
    handle,
    close: async () => {
      listened.close();
      await modern.close();
      await legacy.close();
    },
  };
};
