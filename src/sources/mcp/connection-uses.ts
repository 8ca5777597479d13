/** Counts the work that runs on each connection, also on one that a new session has replaced. */
import type { Connection } from './connect-server.ts';

export class ConnectionUses {
  readonly #counts = new Map<Connection, number>();

  /** Tells whether work runs on the connection. */
  has(connection: Connection): boolean {
    return this.#counts.has(connection);
  }

  hold(connection: Connection): void {
    this.#counts.set(connection, (this.#counts.get(connection) ?? 0) + 1);
  }

  /** Ends one piece of work; true for the last. */
  release(connection: Connection): boolean {
    const left = (this.#counts.get(connection) ?? 1) - 1;
    if (left > 0) this.#counts.set(connection, left);
    else this.#counts.delete(connection);
    return left <= 0;
  }

  /** Closes every connection on which work runs. Never rejects. */
  async close(): Promise<void> {
    await Promise.all([...this.#counts.keys()].map(closeConnection));
  }
}

/** Never rejects. */
export const closeConnection = async ({ client, transport }: Connection): Promise<void> => {
  await client.close().catch(() => undefined);
  // The client drops its transport when the other side closes it.
  await transport.close().catch(() => undefined);
};
