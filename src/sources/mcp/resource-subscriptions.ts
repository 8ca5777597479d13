/**
 * Who wants to hear that a resource of one server changed. Subscribed at the server once a resource,
 * however many listen, and again whenever the server was started anew.
 */
import { ToolFailure } from '../../contract/errors.ts';
import type { Connection } from './connect-server.ts';

const MAX_RESOURCES = 200;

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
  readonly #timeoutMs: number;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
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

  /** Tells all who listen to this resource. */
  updated(uri: string): void {
    for (const changed of this.#listeners.get(uri) ?? []) changed();
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
