/** Bodies as clients send them: with their headers, later, in pieces, too long, or never. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gatherBody } from './node-request.ts';

const MOST = 100;
let server: Server;
let client: Socket;
let arrived: Promise<IncomingMessage>;

beforeEach(async () => {
  server = createServer();
  arrived = new Promise((resolve) => {
    server.once('request', (incoming) => resolve(incoming));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
});

afterEach(() => {
  client.destroy();
  server.closeAllConnections();
  server.close();
});

const head = (length: number) => `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n`;
const gathered = async () => (await gatherBody(await arrived, MOST))?.toString();

describe('gatherBody reads a body', () => {
  it.each(['', 'hello', 'x'.repeat(MOST)])('that comes with its headers: "%s"', async (text) => {
    client.write(head(text.length) + text);
    expect(await gathered()).toBe(text);
  });

  it('that arrived long before it is read', async () => {
    client.write(`${head(5)}hello`);
    await arrived;
    await pause(20);
    expect(await gathered()).toBe('hello');
  });

  it('that comes in pieces', async () => {
    client.write(head(6));
    const body = gathered();
    for (const piece of ['ab', 'cd', 'ef']) {
      await pause(5);
      client.write(piece);
    }
    expect(await body).toBe('abcdef');
  });

  it.each(['at once', 'piece by piece'])(
    'that is too large, %s, and resolves to nothing',
    async (how) => {
      const long = 'x'.repeat(MOST + 1);
      client.write(head(long.length) + (how === 'at once' ? long : 'x'));
      const body = gathered();
      await pause(5);
      if (how !== 'at once') client.write(long.slice(1));
      expect(await body).toBeUndefined();
    },
  );

  it.each([0, 20])('of a client that goes after %i ms, and rejects', async (ms) => {
    client.write(`${head(50)}half`);
    const incoming = await arrived;
    const body = gatherBody(incoming, MOST);
    if (ms > 0) await pause(ms);
    client.destroy();
    await expect(body).rejects.toThrow('The client has gone.');
  });

  it('of a client that closed the connection before, and rejects', async () => {
    client.write(`${head(50)}half`);
    const incoming = await arrived;
    client.destroy();
    await new Promise((resolve) => incoming.once('close', resolve));
    await expect(gatherBody(incoming, MOST)).rejects.toThrow('The client has gone.');
  });
});
