/**
 * Resources that clients of the 2026-07-28 protocol listen to. The library keeps their
 * subscriptions and notifies them; here each resource is subscribed to at its source, as the client that
 * listens. A resource that cannot be subscribed to is taken out of the request, so that the
 * acknowledgement to the client does not name it.
 */
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import type { Caller } from '../../../contract/caller.ts';
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

/** What a request asks, and as whom. */
interface Asked {
  readonly uri: string;
  readonly caller: Partial<Caller>;
}

/**
 * Makes the subscriptions: one for each listener, so that each of them is judged. The sources share those to
 * one resource, and what they report in one go is passed on once.
 */
export class ListenedResources {
  readonly #deps: SurfaceDeps;
  readonly #changed: (uri: string) => void;
  /** How many listeners each resource has. */
  readonly #listeners = new Map<string, number>();
  readonly #stops = new Set<Stop>();
  /** Resources whose change is about to be passed on. */
  readonly #reported = new Set<string>();
  #isClosed = false;

  /** `changed` notifies the listeners of a resource. */
  constructor(deps: SurfaceDeps, changed: (uri: string) => void) {
    this.#deps = deps;
    this.#changed = changed;
  }

  /** Subscribes to what a request names and its caller may hear of. Never rejects. */
  async open(message: unknown, caller: Partial<Caller>): Promise<Listening> {
    const request = listenRequest(message);
    if (!request) return { message, stop: () => undefined };
    const uris = [...new Set(request.uris)].slice(0, MAX_PER_REQUEST);
    const stops = await Promise.all(uris.map((uri) => this.#add({ uri, caller })));
    const granted = uris.filter((_, at) => stops[at]);
    const stop = (): void => {
      for (const end of stops) end?.();
    };
    const notifications = { ...request.notifications, resourceSubscriptions: granted };
    const params = { ...request.params, notifications };
    return { message: { ...request.message, params }, stop };
  }

  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
  }

  /** Returns how to stop; nothing for a resource that cannot be subscribed to. */
  async #add({ uri, caller }: Asked): Promise<Stop | undefined> {
    const count = this.#listeners.get(uri) ?? 0;
    if (count === 0 && this.#listeners.size >= MAX_RESOURCES) return undefined;
    this.#listeners.set(uri, count + 1);
    try {
      const end = await subscribeAt(this.#deps, {
        uri,
        caller,
        changed: () => this.#report(uri),
      });
      const stop = (): void => {
        if (!this.#stops.delete(stop)) return;
        this.#forget(uri);
        end();
      };
      this.#stops.add(stop);
      if (this.#isClosed) stop();
      return stop;
    } catch (error) {
      this.#forget(uri);
      const { log } = this.#deps.options.runtime;
      log.debug('a resource could not be subscribed to', { uri, cause: reasonOf(error) });
      return undefined;
    }
  }

  #forget(uri: string): void {
    const left = (this.#listeners.get(uri) ?? 1) - 1;
    if (left > 0) this.#listeners.set(uri, left);
    else this.#listeners.delete(uri);
  }

  #report(uri: string): void {
    if (this.#reported.has(uri)) return;
    this.#reported.add(uri);
    queueMicrotask(() => {
      this.#reported.delete(uri);
      this.#changed(uri);
    });
  }
}

type Pass = (message: JSONRPCMessage) => void;

/** Takes the requests to listen of a client whose connection is its own, such as stdio. */
export class ConnectionListener {
  readonly #listened: ListenedResources;
  readonly #caller: Partial<Caller>;
  /** By the id of the request to listen; `undefined` while it is subscribed. */
  readonly #stops = new Map<RequestId, (() => void) | undefined>();

  constructor(listened: ListenedResources, caller: Partial<Caller>) {
    this.#listened = listened;
    this.#caller = caller;
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
    const listening = await this.#listened.open(message, this.#caller);
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
