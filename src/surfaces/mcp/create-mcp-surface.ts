/**
 * Toolcrib as an MCP server: the tools of a crib, its connected servers' resources and prompts, and
 * its approvals, for clients of both protocol eras. Every call goes through `crib.execute`.
 */
import type { Transport } from '@modelcontextprotocol/server';
import type { Crib } from '../../contract/crib.ts';
import {
  crib as aCrib,
  assertArguments,
  webRequest,
  withMethods,
} from '../../kit/data/check-arguments.ts';
import { toResponse } from '../door/answer.ts';
import { fromWebRequest, type Handler } from '../door/http-request.ts';
import { type BuiltServer, buildServer } from './build-server.ts';
import { newStateKey } from './call/call-round.ts';
import { HeldCalls } from './call/held-calls.ts';
import type { PlainCalls } from './call/plain-calls.ts';
import { flowTools } from './flows/flow-tools.ts';
import { runResources } from './flows/run-resources.ts';
import { guardRequests } from './http/guard-requests.ts';
import {
  createRequestHandler,
  type HandleRequest,
  type RequestHandler,
} from './http/handle-request.ts';
import { withUniqueIds } from './http/unique-ids.ts';
import { listedTools } from './lists/listed-tools.ts';
import { ConnectionListener, ListenedResources } from './lists/listened-resources.ts';
import { AUDIT_RECENT, auditResources, resultResources } from './lists/own-resources.ts';
import { reviewPrompt } from './lists/review-prompt.ts';
import { serverPrompts, serverResources } from './lists/server-resources.ts';
import { watchChanges } from './lists/watch-changes.ts';
import { loadSdk } from './load-sdk.ts';
import { type McpSurfaceOptions, mcpOptions } from './mcp-options.ts';
import { connectionSession } from './session.ts';
import type { SurfaceDeps } from './surface-deps.ts';

export type {
  Answer,
  HeaderRecord,
  PlainAnswer,
  SealedAnswer,
  SealedStream,
  SealedText,
  StreamAnswer,
} from '../door/answer.ts';
export type { EventChunk, EventSink, EventStream, StreamOptions } from '../door/event-stream.ts';
export type { Handler, HttpRequest } from '../door/http-request.ts';
export type { AroundCall, ClientLink } from './client-link.ts';
export type { HandleRequest } from './http/handle-request.ts';
export type {
  ListedPrompt,
  ListedResource,
  ListedTemplate,
  PromptAsked,
  PromptCatalog,
  ResourceCatalog,
} from './lists/collection.ts';
export type {
  McpCaller,
  McpHttpOptions,
  McpIdentity,
  McpSurfaceOptions,
  RequestHead,
  SurfaceKind,
} from './mcp-options.ts';

export interface McpConnection {
  readonly sessionId: string;
  /** Resolves when the client has gone, or the connection was closed. */
  readonly closed: Promise<void>;
  /**
   * Cancels the calls of this client and disconnects it.
   *
   * @example
   * const connection = await surface.connect(transport);
   * await connection.close();
   */
  close(): Promise<void>;
}

export interface McpSurface {
  /**
   * Serves one client for as long as the transport lasts; its first message says which era.
   *
   * @example
   * const { sessionId, closed } = await surface.connect(transport);
   * await closed;
   * console.log(sessionId);
   */
  connect(transport: Transport): Promise<McpConnection>;
  /**
   * Serves one HTTP request of a client that is known, for a server that has checked Host, Origin and
   * credentials itself. Every call is made as this identity.
   */
  readonly handle: HandleRequest;
  /**
   * Checks and serves one HTTP request. Without `http` options no client can be authenticated, and
   * the answer is always 401.
   */
  readonly answer: Handler;
  /**
   * Does the same for a program that uses web-standard requests.
   *
   * @example
   * const request = new Request('http://localhost/mcp', { method: 'POST', body: '{}' });
   * console.log((await surface.fetch(request)).status); // 401 without `http` options
   */
  fetch(request: Request): Promise<Response>;
  /**
   * Cancels running calls and disconnects every client. The crib stays open.
   *
   * @example
   * await surface.close();
   */
  close(): Promise<void>;
}

const PAGE_SIZE = 500;

const depsOf = async (crib: Crib, options: McpSurfaceOptions): Promise<SurfaceDeps> => {
  const kind = options.surface ?? 'full';
  const sdk = await loadSdk();
  return {
    crib,
    options,
    kind,
    sdk,
    tools: listedTools(crib, kind, options.servers),
    flows: flowTools(crib, options),
    pageSize: options.pageSize ?? PAGE_SIZE,
    stateKey: options.stateKey ?? newStateKey(),
    held: new HeldCalls(options.runtime),
    resources: [
      auditResources(crib),
      resultResources(crib),
      runResources(crib, options.runtime),
      serverResources(crib.servers, sdk, options.servers),
      ...(options.resources ?? []),
    ],
    prompts: [
      reviewPrompt(crib, options),
      serverPrompts(crib.servers, options.servers),
      ...(options.prompts ?? []),
    ],
  };
};

/** Notifies clients; one that is gone, or takes no notifications, is left out. */
const notifyAll = (
  servers: Iterable<BuiltServer>,
  send: (built: BuiltServer) => Promise<void>,
): void => {
  for (const built of servers) void send(built).catch(() => undefined);
};

const AUTHENTICATES_NOBODY = { authenticate: async () => undefined };

class Surface implements McpSurface {
  readonly #deps: SurfaceDeps;
  readonly handle: HandleRequest;
  readonly answer: Handler;
  readonly #http: RequestHandler;
  readonly #connected = new Set<BuiltServer>();
  readonly #connections = new Set<McpConnection>();
  readonly #stop: () => void;

  constructor(deps: SurfaceDeps) {
    this.#deps = deps;
    this.#http = createRequestHandler(deps);
    this.handle = this.#http.handle;
    const { http = AUTHENTICATES_NOBODY, runtime } = deps.options;
    this.answer = guardRequests({ http, log: runtime.log, handle: this.handle });
    this.#stop = watchChanges(deps, {
      toolsChanged: () => this.#listChanged('Tool', 'tools'),
      resourcesChanged: () => this.#listChanged('Resource', 'resources'),
      promptsChanged: () => this.#listChanged('Prompt', 'prompts'),
      callsChanged: () => this.#callsChanged(),
    });
  }

  async fetch(request: Request): Promise<Response> {
    assertArguments({ request: webRequest }, [request]);
    return toResponse(await this.answer(fromWebRequest(request, '')), request.method);
  }

  async connect(transport: Transport): Promise<McpConnection> {
    assertArguments({ transport: withMethods('start', 'send', 'close') }, [transport]);
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
    const session = connectionSession(this.#deps.options.caller ?? {});
    const built = new Set<BuiltServer>();
    let plainCalls: PlainCalls | undefined;
    const listening = new ConnectionListener(
      new ListenedResources(this.#deps, (uri) =>
        notifyAll(built, ({ product }) => product.server.sendResourceUpdated({ uri })),
      ),
      session.caller,
    );
    const wire = withUniqueIds(transport, (message, respond, pass) =>
      plainCalls ? plainCalls.take(message, respond) : listening.take(message, pass),
    );
    const handle = serveStdio(
      ({ era }) => {
        const server = buildServer(this.#deps, session, era);
        built.add(server);
        plainCalls = server.plainCalls;
        this.#connected.add(server);
        return server.product;
      },
      { transport: wire, onerror: (error) => this.#note(error) },
    );
    const closed = new Promise<void>((resolve) => {
      const { onclose } = wire;
      wire.onclose = () => {
        onclose?.();
        for (const each of built) this.#connected.delete(each);
        this.#deps.held.end(session.binding);
        listening.close();
        this.#connections.delete(connection);
        resolve();
      };
    });
    const connection: McpConnection = {
      sessionId: session.caller.sessionId ?? '',
      closed,
      close: () => handle.close(),
    };
    this.#connections.add(connection);
    return connection;
  }

  async close(): Promise<void> {
    this.#stop();
    this.#deps.held.end();
    await Promise.all([...this.#connections].map((each) => each.close()));
    await this.#http.close();
  }

  get #servers(): readonly BuiltServer[] {
    return [...this.#connected, ...this.#http.servers];
  }

  #listChanged(one: 'Tool' | 'Resource' | 'Prompt', many: `${Lowercase<typeof one>}s`): void {
    notifyAll(this.#servers, ({ product }) => product.server[`send${one}ListChanged`]());
    this.#http.notify[`${many}Changed`]();
  }

  #callsChanged(): void {
    const uri = AUDIT_RECENT;
    const listening = this.#servers.filter(({ hears }) => hears(uri));
    notifyAll(listening, ({ product }) => product.server.sendResourceUpdated({ uri }));
    this.#http.notify.resourceUpdated(uri);
  }

  #note(error: Error): void {
    this.#deps.options.runtime.log.debug('an MCP message was refused', { cause: error.message });
  }
}

/**
 * Opens the surface; the MCP library is loaded here. Fails with VALIDATION_ERROR for arguments of the
 * wrong kind and options that are not known.
 *
 * @example
 * import { createMcpSurface } from 'toolcrib/surfaces/mcp';
 *
 * const surface = await createMcpSurface(crib, { runtime: createRuntime(), version: '1.0.0' });
 * await surface.close();
 */
export const createMcpSurface = async (
  crib: Crib,
  options: McpSurfaceOptions,
): Promise<McpSurface> => {
  assertArguments({ crib: aCrib, options: mcpOptions }, [crib, options]);
  return new Surface(await depsOf(crib, options));
};
