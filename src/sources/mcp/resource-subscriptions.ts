/**
 * Subscriptions to resources of one server. Each resource is subscribed to once, for any number of
 * listeners, and again whenever the server was restarted.
 */
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Connection } from './connect-server.ts';

const MAX_RESOURCES = 200;
/** Updates of one resource that come faster than this are reported as one. */
const MIN_PAUSE_MS = 100;

type Stop = () => Promise<unknown>;

/** Subscribes in the protocol era of the connection. Fails where the server offers no subscriptions. */
const subscribeAt = async (
  { client, isModern }: Connection,
  uri: string,
  timeout: number,
): Promise<Stop> => {
  if (!client.getServerCapabilities()?.resources?.subscribe) {
    throw new ToolFailure('PRECONDITION_FAILED', 'The server does not offer subscriptions.');
  }
  if (isModern) {
    const subscription = await client.listen({ resourceSubscriptions: [uri] }, { timeout });
    return () => subscription.close();
  }
  await client.subscribeResource({ uri }, { timeout });
  return () => client.unsubscribeResource({ uri }, { timeout });
};

/** A resource that is subscribed to, or about to be. */
interface Subscription {
  readonly listeners: Set<() => void>;
  /** Rejects where the server refused. */
  readonly made: Promise<unknown>;
  /** Set once the server has agreed, and again after a restart of it. */
  stop: Stop | undefined;
}

export class ResourceSubscriptions {
  readonly #subscriptions = new Map<string, Subscription>();
  /** Resources that were reported a moment ago; true when they changed again since. */
  readonly #recentlyReported = new Map<string, boolean>();
  readonly #timeoutMs: number;
  readonly #runtime: Pick<Runtime, 'after'>;

  constructor(timeoutMs: number, runtime: Pick<Runtime, 'after'>) {
    this.#timeoutMs = timeoutMs;
    this.#runtime = runtime;
  }

  get isEmpty(): boolean {
    return this.#subscriptions.size === 0;
  }

  /** Returns a function that ends it. Fails when the server offers no subscriptions or refuses this one. */
  async add(connection: Connection, uri: string, changed: () => void): Promise<() => void> {
    const subscription = this.#subscriptions.get(uri) ?? this.#start(connection, uri);
    const listener = (): void => changed();
    subscription.listeners.add(listener);
    try {
      await subscription.made;
    } catch (error) {
      this.#remove(uri, listener);
      throw error;
    }
    return () => this.#remove(uri, listener);
  }

  #start(connection: Connection, uri: string): Subscription {
    if (this.#subscriptions.size >= MAX_RESOURCES) {
      throw new ToolFailure('RATE_LIMITED', 'Too many resources are subscribed to.');
    }
    const asked = subscribeAt(connection, uri, this.#timeoutMs);
    const made = asked.then((stop) => {
      subscription.stop = stop;
    });
    const subscription: Subscription = { listeners: new Set(), made, stop: undefined };
    this.#subscriptions.set(uri, subscription);
    return subscription;
  }

  /** Calls the listeners of a resource, at most once in each pause. */
  updated(uri: string): void {
    const subscription = this.#subscriptions.get(uri);
    if (!subscription) return;
    if (this.#recentlyReported.has(uri)) {
      this.#recentlyReported.set(uri, true);
      return;
    }
    this.#recentlyReported.set(uri, false);
    const timer = this.#runtime.after(MIN_PAUSE_MS, () => {
      const isStale = this.#recentlyReported.get(uri) === true;
      this.#recentlyReported.delete(uri);
      if (isStale) this.updated(uri);
    });
    timer.keepAlive(false);
    for (const changed of subscription.listeners) changed();
  }

  /** Subscribes again after a restart, and reports every resource: it may have changed meanwhile. */
  async renew(connection: Connection): Promise<void> {
    for (const [uri, subscription] of this.#subscriptions) {
      const stop = await subscribeAt(connection, uri, this.#timeoutMs).catch(() => undefined);
      if (stop) subscription.stop = stop;
      this.updated(uri);
    }
  }

  #remove(uri: string, changed: () => void): void {
    const subscription = this.#subscriptions.get(uri);
    if (!subscription?.listeners.delete(changed) || subscription.listeners.size > 0) return;
    this.#subscriptions.delete(uri);
    // At once: a request to subscribe again must not come before it.
    subscription.stop?.().catch(() => undefined);
  }
}
