/** Threat: a WebSocket service that speaks the protocol against its client. */
import { createHash } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { ALLOW_ALL } from '../../../test/fixtures/vendors/vendor-crib.ts';
import { createCribHost } from '../../crib/create-crib.ts';

const TIME_LIMIT = 60_000;
const CALL_MS = 1_500;
const MAX_MESSAGE = 100_000;
const closings: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});

const FIN = 0x80;
const COMPRESSED = 0x40;
const TEXT = 1;
const CONTINUATION = 0;
const PING = 9;
const CLOSE = 8;

const frame = (head: number, payload: Buffer | string = ''): Buffer => {
  const bytes = Buffer.from(payload);
  if (bytes.length < 126) return Buffer.concat([Buffer.from([head, bytes.length]), bytes]);
  const size = Buffer.alloc(10);
  size.writeUInt8(head, 0);
  size.writeUInt8(127, 1);
  size.writeBigUInt64BE(BigInt(bytes.length), 2);
  return Buffer.concat([size, bytes]);
};

const acceptOf = (request: string): string => {
  const key = /sec-websocket-key: (.+)\r\n/i.exec(request)?.[1] ?? '';
  const text = `${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  return createHash('sha1').update(text).digest('base64');
};

const handshake = (request: string, more = ''): string =>
  `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n` +
  `sec-websocket-accept: ${acceptOf(request)}\r\n${more}\r\n`;

const DEFLATE = 'sec-websocket-extensions: permessage-deflate\r\n';

/** Made beforehand: what it unpacks to counts for the client, not for this test. */
const BOMB = frame(FIN | COMPRESSED | TEXT, deflateRawSync(Buffer.alloc(200_000_000, 32)));

/** What a service does on each connection: with the request of its client, then with what it sends. */
interface Attack {
  readonly greet: (socket: Socket, request: string) => void;
  readonly onData?: (socket: Socket) => void;
}

const openAttack = async ({ greet, onData }: Attack): Promise<number> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (request) => {
      greet(socket, request.toString('latin1'));
      socket.on('data', () => onData?.(socket));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closings.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
};

const callAt = async (port: number) => {
  const crib = await createCribHost({
    builtins: false,
    store: 'memory',
    policy: ALLOW_ALL,
    home: await mkdtemp(join(tmpdir(), 'toolcrib-websocket-')),
    config: {
      registry: { lock: 'off' },
      sources: {
        websocket: {
          desk: {
            url: `ws://127.0.0.1:${port}/`,
            timeoutMs: CALL_MS,
            maxMessageBytes: MAX_MESSAGE,
            operations: { read: { description: 'Reads.', input: { type: 'object' } } },
            correlation: { field: 'id', replyField: 'id' },
          },
        },
      },
    } as never,
  });
  closings.push(() => crib.close());
  const start = Date.now();
  const before = process.memoryUsage().rss;
  const result = await crib.execute('read', {});
  const growth = process.memoryUsage().rss - before;
  return { result, ms: Date.now() - start, growth };
};

/** Writes the same bytes as long as the other side takes them; many at once, since both sides share a thread. */
const flood = (socket: Socket, frames: Buffer): void => {
  const bytes = Buffer.concat(Array.from({ length: 2_000 }, () => frames));
  const send = (): void => {
    while (!socket.destroyed && socket.write(bytes));
    if (!socket.destroyed) socket.once('drain', send);
  };
  send();
};

const greetWith =
  (more = '') =>
  (socket: Socket, request: string): void =>
    void socket.write(handshake(request, more));

const ATTACKS: Readonly<Record<string, Attack>> = {
  'that never answers the handshake': { greet: () => undefined },
  'that sends its headers without an end': {
    greet: (socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\n');
      flood(socket, Buffer.from(`x-${'a'.repeat(1000)}: b\r\n`));
    },
  },
  'that accepts another key than it was given': {
    greet: (socket) => void socket.write(handshake('sec-websocket-key: other\r\n')),
  },
  'that never answers a request': { greet: greetWith() },
  'that announces a frame of 2^62 bytes': {
    greet: greetWith(),
    onData: (socket) =>
      void socket.write(Buffer.from([FIN | TEXT, 127, 0x40, 0, 0, 0, 0, 0, 0, 0, 97])),
  },
  'whose small message unpacks to 200 MB': {
    greet: greetWith(DEFLATE),
    onData: (socket) => void socket.write(BOMB),
  },
  'whose message never ends': {
    greet: greetWith(),
    onData: (socket) => {
      socket.write(frame(TEXT, '"'));
      flood(socket, frame(CONTINUATION, 'a'));
    },
  },
  'whose message has fragments without content': {
    greet: greetWith(),
    onData: (socket) => {
      socket.write(frame(TEXT));
      flood(socket, frame(CONTINUATION));
    },
  },
  'that floods with pings': {
    greet: greetWith(),
    onData: (socket) => flood(socket, frame(FIN | PING, 'ping')),
  },
  'that floods with replies to other requests': {
    greet: greetWith(),
    onData: (socket) => flood(socket, frame(FIN | TEXT, '{"id":"another"}')),
  },
  'that answers with a masked frame': {
    greet: greetWith(),
    onData: (socket) => void socket.write(Buffer.from([FIN | TEXT, 0x82, 1, 2, 3, 4, 0x7a, 0x7f])),
  },
  'that closes with a reason that is no UTF-8': {
    greet: greetWith(),
    onData: (socket) => void socket.write(frame(FIN | CLOSE, Buffer.from([3, 232, 255, 254]))),
  },
};

describe('threat: a hostile WebSocket service', { timeout: TIME_LIMIT }, () => {
  it.each(Object.keys(ATTACKS))('%s fails the call within its limits', async (name) => {
    const { result, ms, growth } = await callAt(await openAttack(ATTACKS[name] as Attack));
    expect(result.success).toBe(false);
    expect(JSON.stringify(result).length).toBeLessThan(20_000);
    expect(ms).toBeLessThan(25_000);
    expect(growth).toBeLessThan(250_000_000);
  });
});
