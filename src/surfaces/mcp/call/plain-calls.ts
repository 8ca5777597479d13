/**
 * Takes plain calls of the 2025 protocols, which bring a name and arguments and nothing else,
 * straight to the pipeline. The library would check call and result with schemas that cost more
 * than the whole pipeline (docs/decisions/0012). It gets all other calls, and sends what a call
 * tells or asks its client.
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
import { isRecord } from '../../../kit/data/is-record.ts';
import { protocolError } from '../protocol-error.ts';
import type { ServerDeps } from '../surface-deps.ts';
import type { CallContext, CallRequestContext } from './call-context.ts';
import { callTool } from './call-tool.ts';

type Fields = Readonly<Record<string, unknown>>;

const REQUEST_KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);

/** Leaves requests with `_meta` to the library: it has a schema of its own and may name a newer protocol. */
const isPlainParams = (params: unknown): boolean =>
  params === undefined ||
  (isRecord(params) && !Object.hasOwn(params, '_meta') && !Object.hasOwn(params, '__proto__'));

/**
 * Recognises a request of the 2025 protocols with nothing but the fields of its method. The library
 * checks all others; its schemas cost more than serving this one.
 */
export const isPlainRequest = (body: unknown): body is JSONRPCRequest => {
  if (!isRecord(body)) return false;
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
  input === undefined || (isRecord(input) && !Object.hasOwn(input, '__proto__'));

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

/** Recognises a reply of plain texts, which needs no check by the library's schemas. */
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

  /** Sends every level: the library serves clients that have chosen one. */
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
   * Takes a plain call and returns true; its response goes to `respond` unless it is cancelled. Has
   * to see every message of the client, in their order.
   */
  take(message: JSONRPCMessage, respond: (response: JSONRPCMessage) => void): boolean {
    if (!('method' in message)) return false;
    if (message.method !== 'tools/call') {
      this.#observe(message);
      return false;
    }
    // Before the handshake is over, the library refuses the call.
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

  /** Cancels running calls, because the client has gone. */
  close(): void {
    for (const context of this.#running.values()) context.cancel(new Error('Connection closed'));
    this.#running.clear();
  }

  #observe({ method, params }: JSONRPCRequest | JSONRPCNotification): void {
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
      return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
    }
  }
}
