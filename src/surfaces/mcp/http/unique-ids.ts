/**
 * Refuses a request whose id an open request of the same connection has: its response would be
 * taken for that of the other.
 */
import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/server';

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown };
}

const isId = (id: unknown): id is RequestId => typeof id === 'string' || typeof id === 'number';

/** Returns the messages of a body: one, or those of a batch. */
export const messagesIn = (body: unknown): readonly Message[] =>
  (Array.isArray(body) ? body : [body]).filter(
    (message: unknown): message is Message => typeof message === 'object' && message !== null,
  );

/** Returns the ids of the requests in a body. */
export const requestIdsIn = (body: unknown): readonly RequestId[] =>
  messagesIn(body)
    .filter(({ method }) => typeof method === 'string')
    .map(({ id }) => id)
    .filter(isId);

export const IN_USE = { code: -32600, message: 'Invalid Request: the id is in use' } as const;

/** Ids of requests without a response. Those of cancelled requests are free again. */
export class OpenIds {
  readonly #open = new Set<RequestId>();

  /** Takes all ids; returns false, and takes none, when one is open already or given twice. */
  take(ids: readonly RequestId[]): boolean {
    const isFree = new Set(ids).size === ids.length && !ids.some((id) => this.#open.has(id));
    if (isFree) for (const id of ids) this.#open.add(id);
    return isFree;
  }

  /** Takes one id; returns false when it is open already. */
  takeOne(id: RequestId): boolean {
    if (this.#open.has(id)) return false;
    this.#open.add(id);
    return true;
  }

  /** Frees the ids of requests that were refused at once. */
  release(ids: readonly RequestId[]): void {
    for (const id of ids) this.#open.delete(id);
  }

  /** Sees a message that is sent: a response frees its id. */
  sent(message: JSONRPCMessage): void {
    if (!('method' in message) && message.id !== undefined) this.#open.delete(message.id);
  }

  /** Sees a message that is received: a cancellation frees the id of its request. */
  received(body: unknown): void {
    for (const { method, params } of messagesIn(body)) {
      const id = method === 'notifications/cancelled' ? params?.requestId : undefined;
      if (isId(id)) this.#open.delete(id);
    }
  }
}

/** May take a message before the protocol instance gets it; returns true when it did. */
export type Take = (
  message: JSONRPCMessage,
  respond: (response: JSONRPCMessage) => void,
) => boolean;

/** The same; `pass` hands a message to the protocol instance later. */
export type TakeOrDelay = (
  ...args: [...Parameters<Take>, pass: (message: JSONRPCMessage) => void]
) => boolean;

/** Wraps a transport with the check of ids and with `take`, which may take messages first. */
export const withUniqueIds = (wire: Transport, take: TakeOrDelay = () => false): Transport => {
  const ids = new OpenIds();
  const respond = (response: JSONRPCMessage): void =>
    void outer.send(response).catch(() => undefined);
  const outer: Transport = {
    start: async () => {
      wire.onmessage = (message, extra) => {
        const { id, method } = message as Message;
        if (method === 'notifications/cancelled') ids.received(message);
        const isRequest = typeof method === 'string' && isId(id);
        if (isRequest && !ids.takeOne(id)) {
          void wire.send({ jsonrpc: '2.0', id, error: IN_USE }).catch(() => undefined);
          return;
        }
        const pass = (later: JSONRPCMessage): void => outer.onmessage?.(later, extra);
        if (!take(message, respond, pass)) pass(message);
      };
      wire.onclose = () => outer.onclose?.();
      wire.onerror = (error) => outer.onerror?.(error);
      await wire.start();
    },
    send: (message, options) => {
      ids.sent(message);
      return wire.send(message, options);
    },
    close: () => wire.close(),
    setProtocolVersion: (version) => wire.setProtocolVersion?.(version),
    setSupportedProtocolVersions: (versions) => wire.setSupportedProtocolVersions?.(versions),
  };
  return outer;
};
