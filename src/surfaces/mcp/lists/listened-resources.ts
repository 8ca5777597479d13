/**
 * Resources that clients of the 2026-07-28 protocol listen to. The library keeps their subscriptions and
 * tells them of changes; here each resource is subscribed to where it comes from, once for all who
 * listen. What cannot be subscribed to is taken out of the request, so that its client is told.
 */

import { isRecord } from '../../../kit/data/is-record.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import type { SurfaceDeps } from '../surface-deps.ts';
import { subscribeAt } from './serve-resources.ts';

const LISTEN = 'subscriptions/listen';
const MAX_RESOURCES = 1000;
const MAX_A_REQUEST = 100;

type Stop = () => void;

/** A request to listen, as far as it can be granted, and how to end it. */
export interface Listening {
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

  /** `changed` tells those who listen to a resource. */
  constructor(deps: SurfaceDeps, changed: (uri: string) => void) {
    this.#deps = deps;
    this.#changed = changed;
  }

  /** Subscribes to what a request names. Never rejects. */
  async open(message: unknown): Promise<Listening> {
    const request = listenRequest(message);
    if (!request) return { message, stop: () => undefined };
    const uris = [...new Set(request.uris)].slice(0, MAX_A_REQUEST);
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
    const known = this.#held.get(uri);
    if (!known && this.#held.size >= MAX_RESOURCES) return false;
    const held = known ?? {
      count: 0,
      stop: subscribeAt(this.#deps, uri, () => this.#changed(uri)),
    };
    held.count += 1;
    this.#held.set(uri, held);
    try {
      await held.stop;
      return true;
    } catch (error) {
      if (this.#held.get(uri) === held) this.#held.delete(uri);
      const { log } = this.#deps.options.runtime;
      log.debug('a resource could not be subscribed to', { uri, cause: reasonOf(error) });
      return false;
    }
  }

  #remove(uri: string): void {
    const held = this.#held.get(uri);
    if (!held) return;
    held.count -= 1;
    if (held.count > 0) return;
    this.#held.delete(uri);
    void held.stop.then((end) => end()).catch(() => undefined);
  }
}
