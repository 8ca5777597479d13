/** Threat: a gRPC server that speaks HTTP/2 against its client. */
import {
  constants,
  createServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { type AddressInfo, createServer as createTcp, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createGrpcBench } from '../../../test/fixtures/grpc-crib.ts';
import { SHOP_PROTO } from '../../../test/fixtures/grpc-server.ts';

const TIME_LIMIT = 60_000;
const bench = createGrpcBench();
afterEach(() => bench.close());

interface Attack {
  onSession?(session: ServerHttp2Session): void;
  onStream(stream: ServerHttp2Stream): void;
}

/** An HTTP/2 server that counts calls and sessions and answers as the attack says. */
const openServer = async ({ onSession, onStream }: Attack) => {
  const counted = { calls: 0, sessions: 0, port: 0 };
  const server = createServer();
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    counted.sessions += 1;
    sessions.add(session);
    session.on('error', () => undefined);
    onSession?.(session);
  });
  server.on('stream', (stream) => {
    counted.calls += 1;
    stream.on('error', () => undefined);
    onStream(stream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  bench.later(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  counted.port = (server.address() as AddressInfo).port;
  return counted;
};

const framed = (bytes: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
};

const answer = (stream: ServerHttp2Stream, body = Buffer.alloc(0), trailers = {}): void => {
  stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', ...trailers }));
  stream.end(framed(body));
};

const cribFor = (port: number, settings = {}) =>
  bench.crib({ address: `127.0.0.1:${port}`, proto: [SHOP_PROTO], timeoutMs: 3_000, ...settings });

describe('threat: a hostile HTTP/2 peer of a gRPC source', { timeout: TIME_LIMIT }, () => {
  it('a server that says GOAWAY at every call fails that call alone', async () => {
    let isHostile = true;
    const server = await openServer({
      onStream(stream) {
        if (isHostile) {
          stream.session?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
          stream.session?.destroy();
        } else answer(stream);
      },
    });
    const crib = await cribFor(server.port);
    const refused = await crib.execute('Orders_Echo', {});
    expect([refused.success, server.calls]).toEqual([false, 1]);
    isHostile = false;
    expect((await crib.execute('Orders_Echo', {})).success).toBe(true);
  });

  it('a server that resets every stream gets no call twice', async () => {
    const server = await openServer({
      onStream: (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM),
    });
    const crib = await cribFor(server.port);
    const results = await Promise.all(
      Array.from({ length: 50 }, () => crib.execute('Orders_Echo', {})),
    );
    expect(results.filter(({ success }) => success)).toEqual([]);
    expect(server.calls).toBeLessThanOrEqual(50);
  });

  it('trailers of megabytes end the call and do not become its message', async () => {
    const server = await openServer({
      onStream: (stream) =>
        answer(stream, Buffer.alloc(0), { 'grpc-message': 'x'.repeat(900_000) }),
    });
    const crib = await cribFor(server.port);
    const result = await crib.execute('Orders_Echo', {});
    expect(JSON.stringify(result).length).toBeLessThan(20_000);
  });

  it('a flood of pings and settings delays a call no longer than its time limit', async () => {
    const server = await openServer({
      onSession(session) {
        const flood = (): void => {
          for (let count = 0; count < 50; count += 1) {
            if (session.destroyed) return;
            session.ping(() => undefined);
            session.settings({ initialWindowSize: 65_535 });
          }
          setTimeout(flood, 1);
        };
        flood();
      },
      onStream: () => undefined,
    });
    const crib = await cribFor(server.port, { timeoutMs: 1_500 });
    const start = Date.now();
    expect((await crib.execute('Orders_Echo', {})).success).toBe(false);
    expect(Date.now() - start).toBeLessThan(20_000);
  });

  it('an endless stream of large messages is cut off, and memory does not grow with it', async () => {
    let sent = 0;
    const large = framed(
      Buffer.concat([Buffer.from([0x0a, 0xc0, 0x84, 0x3d]), Buffer.alloc(1_000_000, 97)]),
    );
    const server = await openServer({
      onStream(stream) {
        stream.respond({ 'content-type': 'application/grpc' });
        const send = (): void => {
          while (!stream.destroyed && stream.write(large)) sent += large.length;
          if (!stream.destroyed) stream.once('drain', send);
        };
        send();
      },
    });
    const crib = await cribFor(server.port, { maxOutputBytes: 2_000_000 });
    const before = process.memoryUsage().rss;
    await crib.execute('Orders_Watch', {});
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
    expect(sent).toBeLessThan(100_000_000);
  });

  /** A server that says what it likes on the plain connection. */
  const openRaw = async (onConnection: (socket: Socket) => void): Promise<number> => {
    const sockets = new Set<Socket>();
    const server = createTcp((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      onConnection(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    bench.later(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  };

  it.each([
    ['a frame of 16 MB', Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1])],
    ['headers that never end', Buffer.from([0, 0, 1, 1, 0, 0, 0, 0, 1, 0x82])],
    ['HTTP/1', Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')],
    ['nothing at all', Buffer.alloc(0)],
  ])('a peer that sends %s ends with the time limit', async (_title, bytes) => {
    const port = await openRaw((socket) => {
      // An empty SETTINGS frame first, as every server does.
      socket.write(Buffer.concat([Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]), bytes]));
    });
    const crib = await cribFor(port, { timeoutMs: 1_500 });
    const start = Date.now();
    expect((await crib.execute('Orders_Echo', {})).success).toBe(false);
    expect(Date.now() - start).toBeLessThan(20_000);
  });
});
