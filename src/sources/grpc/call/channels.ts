/**
 * The connections of one source: one for each checked address, shared by its calls and closed with
 * it.
 */
import type { Client } from '@grpc/grpc-js';
import { ToolFailure } from '../../../contract/errors.ts';
import { lazyAsync } from '../../../kit/data/lazy.ts';
import type { GrpcSettings } from '../grpc-settings.ts';
import { type Grpc, loadGrpc } from '../load-libraries.ts';
import { type ClientLimits, openClient } from './open-client.ts';

/** A name may have several addresses, and they may change. */
const MAX_CONNECTIONS = 8;

interface Connection {
  readonly client: Client;
  calls: number;
}

export interface Channels {
  grpc(): Promise<Grpc>;
  /** Runs `work` with the connection to an address, and keeps it open for the next call. */
  use<T>(address: string, work: (client: Client, grpc: Grpc) => Promise<T>): Promise<T>;
  close(): void;
}

export const createChannels = (settings: GrpcSettings, limits: ClientLimits): Channels => {
  const grpc = lazyAsync(loadGrpc);
  const connections = new Map<string, Connection>();
  let isClosed = false;
  const closeIdle = (): void => {
    for (const [address, { client, calls }] of connections) {
      if (connections.size <= MAX_CONNECTIONS) return;
      if (calls > 0) continue;
      connections.delete(address);
      client.close();
    }
  };
  const connect = (library: Grpc, address: string): Connection => {
    const connection = connections.get(address) ?? {
      client: openClient(library, address, { settings, limits }),
      calls: 0,
    };
    // The one used last is the last one to be closed.
    connections.delete(address);
    connections.set(address, connection);
    return connection;
  };
  return {
    grpc,
    async use(address, work) {
      const library = await grpc();
      if (isClosed) throw new ToolFailure('CANCELLED', 'The source is closed.');
      const connection = connect(library, address);
      connection.calls += 1;
      closeIdle();
      try {
        return await work(connection.client, library);
      } finally {
        connection.calls -= 1;
      }
    },
    close() {
      isClosed = true;
      for (const { client } of connections.values()) client.close();
      connections.clear();
    },
  };
};
