/**
 * The short way of the common call of the 2025 protocols: one that brings a name and arguments and
 * nothing else. The library would check it, and its result, by schemas that cost more than the whole
 * pipeline. Whatever is not plain is left to the library, which also carries what a call tells or asks
 * its client.
 */
import type {
  CallToolRequest,
  CallToolResult,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  RequestId,
  Server,
} from '@modelcontextprotocol/server';
import { protocolError } from '../protocol-error.ts';
import type { ServerSite } from '../server-site.ts';
import { callTool } from './call-tool.ts';
import { isPlainRequest } from './plain-request.ts';
import { PlainRequestContext } from './plain-request-context.ts';

type Fields = Readonly<Record<string, unknown>>;

const PARAMS: ReadonlySet<string> = new Set(['name', 'arguments']);

const isPlainInput = (input: unknown): boolean =>
  input === undefined ||
  (typeof input === 'object' &&
    input !== null &&
    !Array.isArray(input) &&
    !Object.hasOwn(input, '__proto__'));

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

export class PlainCalls {
  readonly #site: ServerSite;
  readonly #server: Server;
  readonly #running = new Map<RequestId, PlainRequestContext>();
  #hasLogLevel = false;

  constructor(site: ServerSite, server: Server) {
    this.#site = site;
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
    const { sdk, options } = this.#site;
    try {
      const result = (await callTool(this.#site, request, context)) as CallToolResult;
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
