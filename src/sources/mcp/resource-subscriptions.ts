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

export class ResourceSubscriptions {
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #stops = new Map<string, Stop>();
  /** Resources that were reported a moment ago; true when they changed again since. */
  readonly #recentlyReported = new Map<string, boolean>();
  readonly #timeoutMs: number;
  readonly #runtime: Pick<Runtime, 'after'>;

  constructor(timeoutMs: number, runtime: Pick<Runtime, 'after'>) {
    this.#timeoutMs = timeoutMs;
    this.#runtime = runtime;
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** Returns a function that ends it. Fails when the server offers no subscriptions or refuses this one. */
  async add(connection: Connection, uri: string, changed: () => void): Promise<() => void> {
    const listeners = this.#listeners.get(uri) ?? new Set();
    if (listeners.size === 0) {
      if (this.#listeners.size >= MAX_RESOURCES) {
        throw new ToolFailure('RATE_LIMITED', 'Too many resources are subscribed to.');
      }
      this.#stops.set(uri, await subscribeAt(connection, uri, this.#timeoutMs));
    }
    listeners.add(changed);
    this.#listeners.set(uri, listeners);
    return () => this.#remove(uri, changed);
  }

  /** Calls the listeners of a resource, at most once in each pause. */
  updated(uri: string): void {
    const listeners = this.#listeners.get(uri);
    if (!listeners) return;
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
    for (const changed of listeners) changed();
  }

  /** Subscribes again after a restart, and reports every resource: it may have changed meanwhile. */
  async renew(connection: Connection): Promise<void> {
    for (const uri of this.#listeners.keys()) {
      const stop = await subscribeAt(connection, uri, this.#timeoutMs).catch(() => undefined);
      if (stop) this.#stops.set(uri, stop);
      this.updated(uri);
    }
  }

  #remove(uri: string, changed: () => void): void {
    const listeners = this.#listeners.get(uri);
    if (!listeners?.delete(changed) || listeners.size > 0) return;
    this.#listeners.delete(uri);
    const stop = this.#stops.get(uri);
    this.#stops.delete(uri);
    stop?.().catch(() => undefined);
  }
}
