/**
 * Takes the common call of the 2025 protocols straight to the pipeline: one that brings a name and
 * arguments and nothing else. The library would check it, and its result, by schemas that cost more
 * than the whole pipeline (docs/decisions/0012). Whatever is not plain is left to the library, which
 * also carries what a call tells or asks its client.
 */
import type {
  CallToolRequest,
  CallToolResult,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  LoggingLevel,
  Notification,
  RequestId,
  RequestMethod,
  RequestOptions,
  Server,
} from '@modelcontextprotocol/server';
import { protocolError } from '../protocol-error.ts';
import type { ServerDeps } from '../surface-deps.ts';
import type { CallContext, CallRequestContext } from './call-context.ts';
import { callTool } from './call-tool.ts';

type Fields = Readonly<Record<string, unknown>>;

const REQUEST_KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `_meta` has a schema of its own, and says of newer protocols that they are spoken. */
const isPlainParams = (params: unknown): boolean =>
  params === undefined ||
  (isObject(params) && !Object.hasOwn(params, '_meta') && !Object.hasOwn(params, '__proto__'));

/**
 * Tells a request of the 2025 protocols that brings nothing but what its method takes. The library is
 * asked about all others; its schemas cost more than serving this one.
 */
export const isPlainRequest = (body: unknown): body is JSONRPCRequest => {
  if (!isObject(body)) return false;
  const { jsonrpc, id, method, params } = body;
  return (
    jsonrpc === '2.0' &&
    typeof method === 'string' &&
    (typeof id === 'string' || Number.isSafeInteger(id)) &&
    isPlainParams(params) &&
    Object.keys(body).every((key) => REQUEST_KEYS.has(key))
  );
};

const PARAMS: ReadonlySet<string> = new Set(['name', 'arguments']);

const isPlainInput = (input: unknown): boolean =>
  input === undefined || (isObject(input) && !Object.hasOwn(input, '__proto__'));

const isPlainCall = (message: unknown): message is JSONRPCRequest & CallToolRequest => {
  if (!isPlainRequest(message) || message.params === undefined) return false;
  const { params } = message;
  return (
    typeof params.name === 'string' &&
    isPlainInput(params.arguments) &&
    Object.keys(params).every((key) => PARAMS.has(key))
  );
};

const isText = ({ type, annotations, _meta }: Fields): boolean =>
  type === 'text' && annotations === undefined && _meta === undefined;

/** Of text, the library could find nothing that is not checked when the reply is made. */
const isPlainReply = ({ content }: CallToolResult): boolean => content.every(isText);

/** The context of a plain call, made without the library. */
class PlainRequestContext implements CallContext, CallRequestContext {
  readonly method = 'tools/call';
  readonly id: RequestId;
  readonly #server: Server;
  readonly #cancelling = new AbortController();

  constructor(id: RequestId, server: Server) {
    this.id = id;
    this.#server = server;
  }

  get mcpReq(): CallRequestContext {
    return this;
  }

  get signal(): AbortSignal {
    return this.#cancelling.signal;
  }

  get isCancelled(): boolean {
    return this.#cancelling.signal.aborted;
  }

  cancel(reason: unknown): void {
    this.#cancelling.abort(reason);
  }

  requestState(): undefined {
    return undefined;
  }

  notify(notification: Notification): Promise<void> {
    return this.#server.notification(notification, { relatedRequestId: this.id });
  }

  /** Everything: a client that has chosen a level is left to the library. */
  log(level: LoggingLevel, data: unknown, logger?: string): Promise<void> {
    return this.notify({ method: 'notifications/message', params: { level, data, logger } });
  }

  send(
    request: { method: RequestMethod; params?: Record<string, unknown> },
    options?: Pick<RequestOptions, 'signal' | 'timeout'>,
  ): Promise<unknown> {
    return this.#server.request(request, { ...options, relatedRequestId: this.id });
  }

  elicitInput(
    params: ElicitRequestFormParams | ElicitRequestURLParams,
    options?: RequestOptions,
  ): Promise<ElicitResult> {
    return this.#server.elicitInput(params, options);
  }
}

export class PlainCalls {
  readonly #deps: ServerDeps;
  readonly #server: Server;
  readonly #running = new Map<RequestId, PlainRequestContext>();
  #hasLogLevel = false;

  constructor(deps: ServerDeps, server: Server) {
    this.#deps = deps;
    this.#server = server;
  }

  /**
   * True when the message is a plain call, whose response goes to `respond` unless it is cancelled. Sees
   * every message of the client, in their order.
   */
  take(message: JSONRPCMessage, respond: (response: JSONRPCMessage) => void): boolean {
    if (!('method' in message)) return false;
    if (message.method !== 'tools/call') {
      this.#notice(message);
      return false;
    }
    // Before the handshake is over the library has to say so.
    const isReady = this.#server.getClientCapabilities() !== undefined && !this.#hasLogLevel;
    if (!isReady || !isPlainCall(message)) return false;
    const { id } = message;
    const context = new PlainRequestContext(id, this.#server);
    this.#running.set(id, context);
    void this.#answer(message, context).then((response) => {
      if (this.#running.get(id) === context) this.#running.delete(id);
      if (!context.isCancelled) respond(response);
    });
    return true;
  }

  /** The client is gone: what runs is for nobody. */
  close(): void {
    for (const context of this.#running.values()) context.cancel(new Error('Connection closed'));
    this.#running.clear();
  }

  #notice({ method, params }: JSONRPCRequest | JSONRPCNotification): void {
    if (method === 'logging/setLevel') this.#hasLogLevel = true;
    if (method !== 'notifications/cancelled') return;
    this.#running.get(params?.requestId as RequestId)?.cancel(params?.reason);
  }

  async #answer(
    request: JSONRPCRequest & CallToolRequest,
    context: PlainRequestContext,
  ): Promise<JSONRPCMessage> {
    const { id } = request;
    const { sdk, options } = this.#deps;
    try {
      const result = (await callTool(this.#deps, request, context)) as CallToolResult;
      if (isPlainReply(result) || sdk.isCallToolResult(result)) {
        return { jsonrpc: '2.0', id, result };
      }
      throw new Error('the reply to a call is no result of one');
    } catch (error) {
      const { code, message, data } = protocolError(error, sdk, options.runtime.log);
      const isTold = data !== undefined;
      return { jsonrpc: '2.0', id, error: { code, message, ...(isTold && { data }) } };
    }
  }
}
