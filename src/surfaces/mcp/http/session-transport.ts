/**
 * The transport of one HTTP session of the 2025 protocols. Messages that the client posts go to the
 * protocol instance; its messages go to the answer of the related request, or to the client's own
 * stream.
 */
import type {
  JSONRPCMessage,
  MessageExtraInfo,
  RequestId,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/server';
import type { Runtime } from '../../../contract/runtime.ts';
import { type Answer, EVENTS_TYPE, JSON_TYPE, type PlainAnswer } from '../../door/answer.ts';
import { EventStream } from '../../door/event-stream.ts';
import type { HttpRequest } from '../../door/http-request.ts';
import { isPlainRequest } from '../call/plain-calls.ts';
import type { Sdk } from '../load-sdk.ts';
import { refusal } from '../protocol-error.ts';
import { eventOf, PostExchange, type PostOptions } from './post-exchange.ts';
import type { Take } from './unique-ids.ts';

export interface SessionDeps {
  readonly sessionId: string;
  readonly sdk: Sdk;
  readonly runtime: Runtime;
  /** Passed on with every message. */
  readonly extra: MessageExtraInfo;
  /** Called when the client ends the session. */
  ended(): void;
}

const MAX_BATCH = 100;
const GONE = refusal(404, { code: -32001, message: 'Session not found' });
const METHODS = { allow: 'GET, POST, DELETE' };

const isRequest = (message: JSONRPCMessage): message is JSONRPCMessage & { id: RequestId } =>
  'method' in message && 'id' in message;

const unacceptable = (message: string) => refusal(406, { message: `Not Acceptable: ${message}` });
const invalid = (message: string) =>
  refusal(400, { code: -32600, message: `Invalid Request: ${message}` });

export class SessionTransport implements Transport {
  readonly sessionId: string;
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  /** Takes a message before the protocol instance gets it, if it returns true. */
  take: Take = () => false;
  readonly #deps: SessionDeps;
  readonly #post: PostOptions;
  readonly #exchanges = new Map<RequestId, PostExchange>();
  /** The stream for messages that belong to no request. */
  #ownStream: EventStream | undefined = undefined;
  #versions: readonly string[] = [];
  #isInitialized = false;
  #isClosed = false;

  constructor(deps: SessionDeps) {
    const session = { 'mcp-session-id': deps.sessionId };
    this.#deps = deps;
    this.sessionId = deps.sessionId;
    this.#post = {
      runtime: deps.runtime,
      jsonHeaders: Object.freeze({ 'content-type': JSON_TYPE, ...session }),
      eventHeaders: Object.freeze({
        'content-type': EVENTS_TYPE,
        'cache-control': 'no-cache, no-transform',
        connection: 'keep-alive',
        // Proxies that buffer would hold events back.
        'x-accel-buffering': 'no',
        ...session,
      }),
    };
  }

  async start(): Promise<void> {}

  readonly #respond = (response: JSONRPCMessage): void =>
    void this.send(response).catch(() => undefined);

  setSupportedProtocolVersions(versions: string[]): void {
    this.#versions = versions;
  }

  /** Answers a request of the session. `body` is that of a POST, parsed. */
  handle(request: HttpRequest, body: unknown): Answer | Promise<Answer> {
    if (this.#isClosed) return GONE;
    if (request.method === 'POST') return this.#posted(request, body);
    if (request.method === 'GET') return this.#listen(request);
    if (request.method === 'DELETE') return this.#end(request);
    return refusal(405, { message: 'Method not allowed.' }, METHODS);
  }

  /** Sends a message. Rejects when the request that it belongs to is over. */
  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const isResponse = !('method' in message);
    const id = isResponse ? message.id : options?.relatedRequestId;
    if (id === undefined && !isResponse) return this.#ownStream?.write(eventOf(message));
    const exchange = id === undefined ? undefined : this.#exchanges.get(id);
    if (id === undefined || !exchange) throw new Error(`Nobody waits for request ${String(id)}.`);
    if (!isResponse) return exchange.send(message);
    this.#exchanges.delete(id);
    exchange.respond(message);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const exchange of new Set(this.#exchanges.values())) exchange.end();
    this.#exchanges.clear();
    this.#ownStream?.end();
    this.onclose?.();
  }

  #posted(request: HttpRequest, body: unknown): Answer | Promise<Answer> {
    const accept = request.header('accept') ?? '';
    if (!accept.includes(JSON_TYPE) || !accept.includes(EVENTS_TYPE)) {
      return unacceptable(`Client must accept both ${JSON_TYPE} and ${EVENTS_TYPE}`);
    }
    if (Array.isArray(body) && body.length > MAX_BATCH) {
      return invalid(`Batch must not exceed ${MAX_BATCH} messages`);
    }
    const messages = this.#parsed(body);
    if (!messages) {
      return refusal(400, { code: -32700, message: 'Parse error: Invalid JSON-RPC message' });
    }
    return this.#refused(request, messages) ?? this.#take(messages, Array.isArray(body));
  }

  #parsed(body: unknown): readonly JSONRPCMessage[] | undefined {
    if (isPlainRequest(body)) return [body];
    try {
      const all: readonly unknown[] = Array.isArray(body) ? body : [body];
      return all.map((each) => this.#deps.sdk.parseJSONRPCMessage(each));
    } catch {
      return undefined;
    }
  }

  /** Refuses messages that do not fit the session: the first one opens it, alone and once. */
  #refused(request: HttpRequest, messages: readonly JSONRPCMessage[]): PlainAnswer | undefined {
    const { isInitializeRequest } = this.#deps.sdk;
    const opens = messages.some(
      (message) =>
        'method' in message && message.method === 'initialize' && isInitializeRequest(message),
    );
    if (!opens && this.#isInitialized) return this.#otherVersion(request);
    if (!opens) return refusal(400, { message: 'Bad Request: Server not initialized' });
    if (this.#isInitialized) return invalid('Server already initialized');
    if (messages.length > 1) return invalid('Only one initialization request is allowed');
    this.#isInitialized = true;
    return undefined;
  }

  #otherVersion(request: HttpRequest): PlainAnswer | undefined {
    const version = request.header('mcp-protocol-version');
    if (version === undefined || this.#versions.includes(version)) return undefined;
    const supported = `(supported versions: ${this.#versions.join(', ')})`;
    const message = `Bad Request: Unsupported protocol version: ${version} ${supported}`;
    return refusal(400, { message });
  }

  #take(messages: readonly JSONRPCMessage[], isBatch: boolean): Answer | Promise<Answer> {
    const requests = messages.filter(isRequest);
    const exchange =
      requests.length > 0
        ? new PostExchange({ requests: requests.length, isBatch }, this.#post)
        : undefined;
    for (const { id } of requests) {
      // An id that is used again without a response belonged to a cancelled request.
      this.#exchanges.get(id)?.skip();
      if (exchange) this.#exchanges.set(id, exchange);
    }
    for (const message of messages) {
      if (!this.take(message, this.#respond)) this.onmessage?.(message, this.#deps.extra);
    }
    return exchange?.answered ?? { status: 202, headers: {}, body: null };
  }

  #listen(request: HttpRequest): Answer {
    if (!request.header('accept')?.includes(EVENTS_TYPE)) {
      return unacceptable(`Client must accept ${EVENTS_TYPE}`);
    }
    const refused = this.#otherVersion(request);
    if (refused) return refused;
    if (this.#ownStream) {
      return refusal(409, { message: 'Conflict: Only one SSE stream is allowed per session' });
    }
    const stream = new EventStream({
      runtime: this.#deps.runtime,
      onOver: () => {
        this.#ownStream = undefined;
      },
    });
    this.#ownStream = stream;
    return { status: 200, headers: this.#post.eventHeaders, stream };
  }

  async #end(request: HttpRequest): Promise<Answer> {
    const refused = this.#otherVersion(request);
    if (refused) return refused;
    this.#deps.ended();
    await this.close();
    return { status: 200, headers: {}, body: null };
  }
}
