/** Handles a request of a known client over HTTP: its body first, then the era that it speaks. */
import type { AuthInfo, McpHttpHandler, McpRequestContext } from '@modelcontextprotocol/server';
import { BoundedMap } from '../../../kit/data/bounded-map.ts';
import type { Answer, PlainAnswer } from '../../door/answer.ts';
import { endableResponse } from '../../door/endable-response.ts';
import type { HttpRequest } from '../../door/http-request.ts';
import { type BodyFault, readBody } from '../../door/read-body.ts';
import { type BuiltServer, buildServer } from '../build-server.ts';
import { isPlainRequest } from '../call/plain-calls.ts';
import { isListenRequest, ListenedResources } from '../lists/listened-resources.ts';
import type { Sdk } from '../load-sdk.ts';
import type { McpIdentity } from '../mcp-options.ts';
import { parseError, refusal } from '../protocol-error.ts';
import {
  identitySession,
  type McpSession,
  newWaitingCalls,
  type WaitingCalls,
} from '../session.ts';
import type { SurfaceDeps } from '../surface-deps.ts';
import { LegacySessions } from './legacy-sessions.ts';

/** Handles one request whose origin and sender were checked before. */
export type HandleRequest = (request: HttpRequest, identity: McpIdentity) => Promise<Answer>;

export interface RequestHandler {
  readonly handle: HandleRequest;
  /** The sessions of the 2025 protocols. */
  readonly servers: readonly BuiltServer[];
  /** Notifies the subscribers of the 2026-07-28 protocol. */
  readonly notify: McpHttpHandler['notify'];
  close(): Promise<void>;
}

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_CLIENTS = 1000;

/** Makes sessions for the protocol without sessions: requests with one key share their open approvals. */
const createClients = (): ((identity: McpIdentity) => McpSession) => {
  const waitingByKey = new BoundedMap<string, WaitingCalls>(MAX_CLIENTS);
  return (identity) => {
    const waiting = waitingByKey.get(identity.key) ?? newWaitingCalls();
    waitingByKey.set(identity.key, waiting);
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

/** Recognises requests of the 2025 protocols; asks the library where the request is not plain. */
const createEraCheck = (sdk: Sdk) => {
  const versions: ReadonlySet<string | undefined> = new Set([
    undefined,
    ...sdk.SUPPORTED_PROTOCOL_VERSIONS,
  ]);
  return (request: HttpRequest, body: unknown): boolean | Promise<boolean> =>
    (isPlainRequest(body) && versions.has(request.header('mcp-protocol-version'))) ||
    sdk.isLegacyRequest(request.web(), body);
};

const createModernHandler = (
  deps: SurfaceDeps,
  clients: (identity: McpIdentity) => McpSession,
): McpHttpHandler => {
  const { sdk, options } = deps;
  const { log } = options.runtime;
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

/** Ends subscriptions when the client leaves, or when the stream that they belong to is over. */
const untilClosed = (response: Response, signal: AbortSignal, stop: () => void): Response => {
  const endable = endableResponse(response, (end) => {
    const leave = (): void => {
      stop();
      end();
    };
    signal.addEventListener('abort', leave, { once: true });
    return () => {
      signal.removeEventListener('abort', leave);
      stop();
    };
  });
  // Not a stream of events: nothing was subscribed to for long.
  if (endable === response) stop();
  return endable;
};

export const createRequestHandler = (deps: SurfaceDeps): RequestHandler => {
  const { sdk, options } = deps;
  const maxBytes = options.maxBodyBytes ?? MAX_BYTES;
  const legacy = new LegacySessions(deps);
  const clients = createClients();
  const modern = createModernHandler(deps, clients);
  const listened = new ListenedResources(deps, (uri) => modern.notify.resourceUpdated(uri));
  const isLegacy = createEraCheck(sdk);
  const handle: HandleRequest = async (request, identity) => {
    const body = await readMessage(request, maxBytes);
    if ('refused' in body) return body.refused;
    const { value } = body;
    const isOld = isLegacy(request, value);
    if (isOld === true || (await isOld)) return legacy.handle({ request, identity, body: value });
    const optionsFor = (parsedBody: unknown) => ({
      authInfo: authInfoOf(identity),
      ...(parsedBody !== undefined && { parsedBody }),
    });
    if (!isListenRequest(value)) return modern.fetch(request.web(), optionsFor(value));
    const { message, stop } = await listened.open(value, clients(identity).caller);
    const response = await modern.fetch(request.web(), optionsFor(message));
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
