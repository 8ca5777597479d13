/**
 * Who wants to hear that a resource of one server changed. Subscribed at the server once a resource,
 * however many listen, and again whenever the server was started anew.
 */
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Connection } from './connect-server.ts';

const MAX_RESOURCES = 200;
/** Updates of one resource that come faster than this are told as one. */
const MIN_PAUSE_MS = 100;

type Stop = () => Promise<unknown>;

/** Subscribes as the protocol era of the connection has it. Fails where the server offers none. */
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
  /** Resources that were told of a moment ago; true when they changed again since. */
  readonly #toldNow = new Map<string, boolean>();
  readonly #timeoutMs: number;
  readonly #runtime: Pick<Runtime, 'after'>;

  constructor(timeoutMs: number, runtime: Pick<Runtime, 'after'>) {
    this.#timeoutMs = timeoutMs;
    this.#runtime = runtime;
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** Returns how to stop. Fails when the server offers no subscriptions or refuses this one. */
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

  /** Tells all who listen to this resource; a server that says so without end is heard now and then. */
  updated(uri: string): void {
    const listeners = this.#listeners.get(uri);
    if (!listeners) return;
    if (this.#toldNow.has(uri)) {
      this.#toldNow.set(uri, true);
      return;
    }
    this.#toldNow.set(uri, false);
    const timer = this.#runtime.after(MIN_PAUSE_MS, () => {
      const isStale = this.#toldNow.get(uri) === true;
      this.#toldNow.delete(uri);
      if (isStale) this.updated(uri);
    });
    timer.keepAlive(false);
    for (const changed of listeners) changed();
  }

  /** After a start: the server knows of no subscription any more. What changed meanwhile is unknown, so all are told. */
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
