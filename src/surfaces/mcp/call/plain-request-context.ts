/** The context of a call that brought nothing but a name and its arguments, made without the library. */
import type {
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
  LoggingLevel,
  Notification,
  RequestId,
  RequestMethod,
  RequestOptions,
  Server,
} from '@modelcontextprotocol/server';
import type { CallContext, CallRequestContext } from './call-context.ts';

export class PlainRequestContext implements CallContext, CallRequestContext {
  readonly method = 'tools/call';
  readonly #id: RequestId;
  readonly #server: Server;
  readonly #cancelling = new AbortController();

  constructor(id: RequestId, server: Server) {
    this.#id = id;
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
    return this.#server.notification(notification, { relatedRequestId: this.#id });
  }

  /** Everything: a client that has chosen a level is left to the library. */
  log(level: LoggingLevel, data: unknown, logger?: string): Promise<void> {
    return this.notify({ method: 'notifications/message', params: { level, data, logger } });
  }

  send(request: { method: RequestMethod; params?: Record<string, unknown> }): Promise<unknown> {
    return this.#server.request(request, { relatedRequestId: this.#id });
  }

  elicitInput(
    params: ElicitRequestFormParams | ElicitRequestURLParams,
    options?: RequestOptions,
  ): Promise<ElicitResult> {
    return this.#server.elicitInput(params, options);
  }
}
