/** Subscriptions of a client of the 2026-07-28 protocol whose connection is its own, such as stdio. */
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { isListenRequest, type ListenedResources } from './listened-resources.ts';

type Pass = (message: JSONRPCMessage) => void;

export class ListeningWire {
  readonly #listened: ListenedResources;
  /** By the id of the request to listen; `undefined` while it is subscribed. */
  readonly #stops = new Map<RequestId, (() => void) | undefined>();

  constructor(listened: ListenedResources) {
    this.#listened = listened;
  }

  /** True for a request to listen, which is passed on once its resources are subscribed to. */
  take(message: JSONRPCMessage, pass: Pass): boolean {
    if (!('method' in message)) return false;
    if (message.method === 'notifications/cancelled') {
      this.#end(message.params?.requestId as RequestId);
      return false;
    }
    if (!('id' in message) || !isListenRequest(message)) return false;
    void this.#open(message.id, message, pass);
    return true;
  }

  close(): void {
    for (const id of [...this.#stops.keys()]) this.#end(id);
    this.#listened.close();
  }

  async #open(id: RequestId, message: JSONRPCMessage, pass: Pass): Promise<void> {
    this.#stops.set(id, undefined);
    const listening = await this.#listened.open(message);
    if (!this.#stops.has(id)) {
      listening.stop();
      return;
    }
    this.#stops.set(id, listening.stop);
    pass(listening.message as JSONRPCMessage);
  }

  #end(id: RequestId): void {
    this.#stops.get(id)?.();
    this.#stops.delete(id);
  }
}
