/** Opens a WebSocket to an address that was checked, without a second lookup of the name. */
import type { Socket } from 'node:net';
import type { WebSocket } from 'undici';

export interface PinnedTarget {
  /** Names the host, also for the check of its certificate. */
  readonly url: string;
  /** The checked address of that host. */
  readonly address: string;
  readonly protocols: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** A larger message ends the connection. */
  readonly maxMessageBytes: number;
}

export interface PinnedWebSocket {
  readonly socket: WebSocket;
  /** Ends the connection at once, whatever the other side is sending. */
  cut(): void;
  ping(): void;
}

/** Frames of one message: more are an attack on our memory. */
const MAX_FRAGMENTS = 10_000;
const MAX_CONNECT_MS = 15_000;

/** Gives the host and port that a URL stands for. */
export const socketTarget = (url: URL): { readonly host: string; readonly port: number } => ({
  host: url.hostname,
  port: Number(url.port || (url.protocol === 'wss:' ? 443 : 80)),
});

export const openPinnedWebSocket = async (target: PinnedTarget): Promise<PinnedWebSocket> => {
  const { url, address, protocols, headers, maxMessageBytes } = target;
  const { Agent, buildConnector, ping, WebSocket: Client } = await import('undici');
  const answer = [{ address, family: address.includes(':') ? 6 : 4 }];
  const connect = buildConnector({
    lookup: (_host, _options, done) => done(null, answer),
    timeout: MAX_CONNECT_MS,
    rejectUnauthorized: true,
  });
  const sockets: Socket[] = [];
  const dispatcher = new Agent({
    connect: (options, done) =>
      connect(options, (...result) => {
        if (result[1]) sockets.push(result[1]);
        done(...result);
      }),
    webSocket: { maxPayloadSize: maxMessageBytes, maxFragments: MAX_FRAGMENTS },
  });
  const socket = new Client(url, {
    protocols: [...protocols],
    dispatcher,
    headers: { ...headers },
  });
  socket.binaryType = 'arraybuffer';
  return {
    socket,
    cut() {
      for (const each of sockets) each.destroy();
      // A connection that is still being made has no socket yet.
      dispatcher.destroy().catch(() => undefined);
    },
    ping: () => ping(socket),
  };
};
