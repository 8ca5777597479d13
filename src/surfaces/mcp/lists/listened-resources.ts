/**
 * Resources that clients of the 2026-07-28 protocol listen to. The library keeps their
 * subscriptions and notifies them; here each resource is subscribed to at its source, once for all
 * listeners. A resource that cannot be subscribed to is taken out of the request, so that the
 * acknowledgement to the client does not name it.
 */
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { isRecord } from '../../../kit/data/is-record.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import type { SurfaceDeps } from '../surface-deps.ts';
import { subscribeAt } from './serve-resources.ts';

const LISTEN = 'subscriptions/listen';
const MAX_RESOURCES = 1000;
const MAX_PER_REQUEST = 100;

type Stop = () => void;

/** A request to listen with the resources that could be subscribed to, and how to end it. */
interface Listening {
  readonly message: unknown;
  readonly stop: Stop;
}

type Fields = Readonly<Record<string, unknown>>;

interface ListenRequest {
  readonly message: Fields;
  readonly params: Fields;
  readonly notifications: Fields;
  readonly uris: readonly string[];
}

/** Reads a request that names resources; nothing for any other message. */
const listenRequest = (message: unknown): ListenRequest | undefined => {
  if (!isRecord(message) || message.method !== LISTEN || !isRecord(message.params))
    return undefined;
  const { params } = message;
  const { notifications } = params;
  if (!isRecord(notifications)) return undefined;
  const uris = notifications.resourceSubscriptions;
  if (!Array.isArray(uris) || uris.length === 0) return undefined;
  return uris.every((uri) => typeof uri === 'string')
    ? { message, params, notifications, uris }
    : undefined;
};

export const isListenRequest = (message: unknown): boolean => listenRequest(message) !== undefined;

interface Held {
  count: number;
  readonly stop: Promise<Stop>;
}

export class ListenedResources {
  readonly #deps: SurfaceDeps;
  readonly #changed: (uri: string) => void;
  readonly #held = new Map<string, Held>();

  /** Makes the subscriptions. `changed` notifies the listeners of a resource. */
  constructor(deps: SurfaceDeps, changed: (uri: string) => void) {
    this.#deps = deps;
    this.#changed = changed;
  }

  /** Subscribes to what a request names. Never rejects. */
  async open(message: unknown): Promise<Listening> {
    const request = listenRequest(message);
    if (!request) return { message, stop: () => undefined };
    const uris = [...new Set(request.uris)].slice(0, MAX_PER_REQUEST);
    const added = await Promise.all(uris.map((uri) => this.#add(uri)));
    const granted = uris.filter((_, at) => added[at]);
    let isOver = false;
    const stop = (): void => {
      if (isOver) return;
      isOver = true;
      for (const uri of granted) this.#remove(uri);
    };
    const notifications = { ...request.notifications, resourceSubscriptions: granted };
    const params = { ...request.params, notifications };
    return { message: { ...request.message, params }, stop };
  }

  close(): void {
    for (const { stop } of this.#held.values())
      void stop.then((end) => end()).catch(() => undefined);
    this.#held.clear();
  }

  async #add(uri: string): Promise<boolean> {
    const existing = this.#held.get(uri);
    if (!existing && this.#held.size >= MAX_RESOURCES) return false;
    const subscription = existing ?? {
      count: 0,
      stop: subscribeAt(this.#deps, uri, () => this.#changed(uri)),
    };
    subscription.count += 1;
    this.#held.set(uri, subscription);
    try {
      await subscription.stop;
      return true;
    } catch (error) {
      if (this.#held.get(uri) === subscription) this.#held.delete(uri);
      const { log } = this.#deps.options.runtime;
      log.debug('a resource could not be subscribed to', { uri, cause: reasonOf(error) });
      return false;
    }
  }

  #remove(uri: string): void {
    const subscription = this.#held.get(uri);
    if (!subscription) return;
    subscription.count -= 1;
    if (subscription.count > 0) return;
    this.#held.delete(uri);
    void subscription.stop.then((end) => end()).catch(() => undefined);
  }
}

type Pass = (message: JSONRPCMessage) => void;

/** Takes the requests to listen of a client whose connection is its own, such as stdio. */
export class ConnectionListener {
  readonly #listened: ListenedResources;
  /** By the id of the request to listen; `undefined` while it is subscribed. */
  readonly #stops = new Map<RequestId, (() => void) | undefined>();

  constructor(listened: ListenedResources) {
    this.#listened = listened;
  }

  /**
   * Takes a request to listen and returns true; it is passed on once its resources are subscribed
   * to.
   */
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
