/** The limits of the proxy, on a socket of the test, without a sandbox. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ToolFailure } from '../../contract/errors.ts';
import {
  type Connect,
  createFilteringProxy,
  type FilteringProxy,
  type ProxyLimits,
} from './filtering-proxy.ts';
import { readAbsolute, readAuthority } from './read-target.ts';

const LIMITS: ProxyLimits = { connections: 8, bytes: 1_000_000, idleMs: 30_000 };
const folder = mkdtempSync(join(tmpdir(), 'toolcrib-proxy-'));
const socketPath = join(folder, 's');
afterAll(() => rmSync(folder, { recursive: true }));

/** Sends back what it gets. */
let echo: Server;
beforeAll(async () => {
  echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
});
afterAll(() => echo.close());

const toEcho: Connect = async () => {
  const socket = connect((echo.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
};

let proxy: FilteringProxy | undefined;
const open = async (limits: Partial<ProxyLimits> = {}, reach: Connect = toEcho) => {
  proxy = await createFilteringProxy({
    socketPath,
    connect: reach,
    limits: { ...LIMITS, ...limits },
  });
  return proxy;
};
const clients: Socket[] = [];
beforeEach(() => {
  clients.length = 0;
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  await proxy?.close();
  proxy = undefined;
});

const dial = (): Socket => {
  const client = connect(socketPath);
  client.on('error', () => undefined);
  clients.push(client);
  return client;
};
/** However it ends: a reset is an end, too. */
const closed = (client: Socket) =>
  new Promise<void>((done) => {
    if (client.closed) done();
    else client.once('close', () => done());
  });
const tunnel = async (): Promise<readonly [Socket, string]> => {
  const client = dial();
  client.write('CONNECT host.test:443 HTTP/1.1\r\nHost: host.test:443\r\n\r\n');
  const [answer] = (await once(client, 'data')) as [unknown];
  return [client, String(answer)];
};

describe('the filtering proxy', { timeout: 30_000 }, () => {
  it('ends all connections when more bytes flow than allowed, and refuses later ones', async () => {
    const { refusals } = await open({ bytes: 100_000 });
    const [first] = await tunnel();
    const [second] = await tunnel();
    const cut = Promise.all([closed(first), closed(second)]);
    first.resume();
    second.resume();
    first.write(Buffer.alloc(200_000));
    await cut;
    expect(refusals.join()).toContain('more was transferred');
    expect((await tunnel())[1]).toContain('403');
  });

  it('control: below the limit all bytes come back', async () => {
    await open();
    const [client] = await tunnel();
    let received = 0;
    const all = new Promise<void>((done) => {
      client.on('data', (bytes: Buffer) => {
        received += bytes.length;
        if (received === 300_000) done();
      });
    });
    client.write(Buffer.alloc(300_000));
    await all;
  });

  it('limits the number of connections at the same time', async () => {
    await open({ connections: 2 });
    const [one] = await tunnel();
    const [two] = await tunnel();
    const third = dial();
    await closed(third);
    expect([one.destroyed, two.destroyed]).toEqual([false, false]);
  });

  it('ends an idle connection', async () => {
    await open({ idleMs: 50 });
    const [client] = await tunnel();
    await closed(client);
    const silent = dial();
    await closed(silent);
  });

  it('ends all connections when it is closed, also those being made', async () => {
    let begun: (() => void) | undefined;
    const asked = new Promise<void>((done) => {
      begun = done;
    });
    let stopped = false;
    await open({}, (to, signal) =>
      to.port === 443
        ? toEcho(to, signal)
        : new Promise((_, reject) => {
            begun?.();
            signal.addEventListener('abort', () => {
              stopped = true;
              reject(new ToolFailure('CANCELLED'));
            });
          }),
    );
    const [client] = await tunnel();
    const waiting = dial();
    waiting.write('CONNECT host.test:80 HTTP/1.1\r\nHost: host.test\r\n\r\n');
    const ended = Promise.all([closed(client), closed(waiting)]);
    client.resume();
    waiting.resume();
    await asked;
    await proxy?.close();
    proxy = undefined;
    await ended;
    expect(stopped).toBe(true);
  });

  it.each([
    ['garbage', 'x\r\n\r\n'],
    [
      'two lengths',
      'POST http://a.test/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx',
    ],
    [
      'length and chunks',
      'POST http://a.test/ HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['endless headers', `GET http://a.test/ HTTP/1.1\r\n${'X: y\r\n'.repeat(20_000)}`],
  ])('threat: %s reaches nobody', async (_, text) => {
    let calls = 0;
    await open({}, (to, signal) => {
      calls += 1;
      return toEcho(to, signal);
    });
    const client = dial();
    client.resume();
    client.write(text);
    await closed(client);
    expect(calls).toBe(0);
  });

  it('answers 502 for an unreachable host, 403 for a forbidden one, and hides the details of a bug', async () => {
    const failures = [
      new ToolFailure('NETWORK', 'down'),
      new ToolFailure('SECURITY_VIOLATION', 'no'),
      new Error('inside'),
    ];
    const { refusals } = await open({}, async () => {
      throw failures.shift();
    });
    const answers = [await tunnel(), await tunnel(), await tunnel()].map(([, text]) => text);
    expect(answers.map((text) => text.slice(9, 12))).toEqual(['502', '403', '502']);
    expect(refusals.join()).not.toContain('inside');
  });
});

describe('the target of a request to the proxy', () => {
  it.each([
    ['host.test:443', { host: 'host.test', port: 443 }],
    ['[2001:db8::1]:443', { host: '2001:db8::1', port: 443 }],
    ['192.0.2.1:80', { host: '192.0.2.1', port: 80 }],
  ])('CONNECT %s', (text, target) => {
    expect(readAuthority(text)).toEqual(target);
  });

  it.each([
    ...['', 'host.test', 'host.test:', ':443', 'host.test:0', 'host.test:70000', 'a@b.test:443'],
    ...[
      'a:b@c.test:443',
      'b.test:443/',
      'b.test\0.c:443',
      'b%00.c:443',
      'b.test:443 ',
      'ｂ.test:443',
    ],
    ...['[::1:443', '[::1%eth0]:443', 'b.test:4e2', 'b.test:-1', `${'a'.repeat(300)}:443`],
  ])('threat: CONNECT %j is not read', (text) => {
    expect(readAuthority(text)).toBeUndefined();
  });

  it('plain http URLs are read, default ports and addresses included', () => {
    const read = readAbsolute('http://Host.test/a?b=c');
    expect(read).toEqual({ host: 'host.test', port: 80, authority: 'host.test', path: '/a?b=c' });
    expect(readAbsolute('http://[::1]:81/')).toMatchObject({ host: '::1', port: 81 });
  });

  it.each([
    ...['/', '*', 'https://a.test/', 'ftp://a.test/', 'http:/a.test/', 'http:a.test', '//a.test/'],
    ...['http://a@b.test/', 'http://a:b@c.test/', 'http://@b.test/', 'http://a.test\\@b.test/'],
    ...['http://a b/', 'http://a\0b/', 'http://ａ.test/', 'http:///', ' http://a.test/'],
  ])('threat: %j is not read', (text) => {
    expect(readAbsolute(text)).toBeUndefined();
  });
});
