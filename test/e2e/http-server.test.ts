/** The HTTP server on a real port: framing, slow and greedy clients, and clients that go away. */
import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { ToolContext } from '../../src/contract/context.ts';
import type { CribHost } from '../../src/contract/crib-host.ts';
import { createCribHost } from '../../src/crib/create-crib.ts';
import { createRuntime } from '../../src/crib/create-runtime.ts';
import type { HttpServer } from '../../src/surfaces/door/listen.ts';
import { createHttpSurface } from '../../src/surfaces/http/create-http-surface.ts';
import type { HttpDeps } from '../../src/surfaces/http/http-deps.ts';
import { openRaw, statusIn } from '../fixtures/raw-http.ts';
import { aTool } from '../fixtures/test-crib.ts';

const open: { crib?: CribHost; server?: HttpServer } = {};
afterEach(async () => {
  await open.server?.close();
  await open.crib?.close();
});

const started: (() => void)[] = [];
const stopped: (() => void)[] = [];
const slow = aTool({
  name: 'slow',
  run: (_: unknown, { signal }: ToolContext) =>
    new Promise((_resolve, reject) => {
      for (const tell of started.splice(0)) tell();
      signal.addEventListener('abort', () => {
        for (const tell of stopped.splice(0)) tell();
        reject(new Error('stopped'));
      });
    }),
});

const start = async (deps: Partial<HttpDeps> = {}) => {
  const crib = await createCribHost({ builtins: false, store: 'memory', tools: [aTool(), slow] });
  const runtime = createRuntime();
  const surface = createHttpSurface(crib, { runtime, version: '0', randomBytes, ...deps });
  const server = await surface.listen({ host: '127.0.0.1', port: 0 });
  Object.assign(open, { crib, server });
  const { token } = await surface.tokens.create({ name: 'agent', role: 'agent' }, 'test');
  const host = new URL(server.url).host;
  return { url: server.url, host, token, server };
};

const callOf = (host: string, token: string, more: readonly string[] = []): string =>
  [
    'POST /v1/tools/echo/execute HTTP/1.1',
    `Host: ${host}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'Connection: close',
    ...more,
    '',
    '',
  ].join('\r\n');

describe('a request on the wire', () => {
  it('is answered, with the body in one piece or in chunks', async () => {
    const { url, host, token } = await start();
    const body = '{"input":{"a":1}}';
    const whole = openRaw(url, `${callOf(host, token, [`Content-Length: ${body.length}`])}${body}`);
    expect(await whole.closed).toContain('"a":1');
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const parts = openRaw(url, callOf(host, token, ['Transfer-Encoding: chunked']) + chunked);
    expect(statusIn(await parts.closed)).toBe(200);
  });

  it.each([
    ['two lengths', ['Content-Length: 5', 'Content-Length: 6']],
    ['two equal lengths', ['Content-Length: 2', 'Content-Length: 2']],
    ['a length and chunks', ['Content-Length: 5', 'Transfer-Encoding: chunked']],
    ['an unknown encoding', ['Transfer-Encoding: chunked, x']],
    ['a length that is none', ['Content-Length: +5']],
    ['a space before the colon', ['Content-Length : 5']],
    ['two hosts', ['Host: evil.example', 'Content-Length: 2']],
    ['two tokens', ['Authorization: Bearer x', 'Content-Length: 2']],
    ['two types', ['Content-Type: text/plain', 'Content-Length: 2']],
    ['a folded header', ['X-A: b', ' c: d', 'Content-Length: 2']],
  ])('is refused with %s (request smuggling)', async (_, headers) => {
    const { url, host, token } = await start();
    const { closed } = openRaw(url, `${callOf(host, token, headers)}{}`);
    expect(statusIn(await closed)).toBe(400);
  });

  it('is refused without a host, for another host, or with too many headers', async () => {
    const { url, host } = await start();
    const get = (headers: string) =>
      openRaw(url, `GET /healthz HTTP/1.1\r\n${headers}\r\n\r\n`).closed;
    expect(statusIn(await get('Connection: close'))).toBe(400);
    expect(statusIn(await get('Host: evil.example\r\nConnection: close'))).toBe(403);
    expect(statusIn(await get(`Host: ${host}\r\nX: ${'y'.repeat(20_000)}`))).toBe(431);
    expect(statusIn(await get(`Host: ${host}\r\nConnection: close`))).toBe(200);
    const absolute = `GET http://evil.example/healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    expect(statusIn(await openRaw(url, absolute).closed)).not.toBe(500);
  });

  it('without a token is answered before its body has arrived, and then closed', async () => {
    const { url, host } = await start();
    const { closed } = openRaw(url, callOf(host, 'tc_wrong', ['Content-Length: 1000000']));
    expect(statusIn(await closed)).toBe(401);
  });

  it('with a body that never ends is cut off at the limit', async () => {
    const { url, host, token } = await start({ limits: { bodyBytes: 10_000 } });
    const { socket, closed } = openRaw(url, callOf(host, token, ['Transfer-Encoding: chunked']));
    const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`;
    const feed = (): void => {
      if (!socket.destroyed && socket.writable) socket.write(chunk, () => setImmediate(feed));
    };
    feed();
    expect(statusIn(await closed)).toBe(413);
  });
});

describe('slow clients', () => {
  const limits = { headersTimeoutMs: 300, requestTimeoutMs: 600 };

  it('that send nothing, or their headers byte by byte, are cut off', async () => {
    const { url, host } = await start({ limits });
    const silent = openRaw(url);
    const dripping = openRaw(url, `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nX: `);
    const drip = setInterval(() => dripping.socket.write('y'), 50);
    expect(await silent.closed).not.toContain('200');
    expect(statusIn(await dripping.closed)).toBe(408);
    clearInterval(drip);
  });

  it('that send their body byte by byte are cut off', async () => {
    const { url, host, token } = await start({ limits });
    const { socket, closed } = openRaw(url, callOf(host, token, ['Content-Length: 1000']));
    const drip = setInterval(() => socket.write(' '), 50);
    expect(statusIn(await closed)).not.toBe(200);
    clearInterval(drip);
  });

  it('are limited in number; the next one is accepted when one has gone', async () => {
    const { url } = await start({ limits: { maxConnections: 3 } });
    const held = [openRaw(url), openRaw(url), openRaw(url)];
    await Promise.all(held.map(({ connected }) => connected));
    expect(await openRaw(url, 'GET /healthz HTTP/1.1\r\n\r\n').closed).toBe('');
    held[0]?.socket.destroy();
    await expect
      .poll(
        () =>
          fetch(`${url}/healthz`).then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 20_000 },
      )
      .toBe(200);
    for (const { socket } of held) socket.destroy();
  });
});

describe('a client that goes away', () => {
  it('cancels its call', async () => {
    const { url, token } = await start();
    const running = new Promise<void>((resolve) => started.push(resolve));
    const cancelled = new Promise<void>((resolve) => stopped.push(resolve));
    const gone = new AbortController();
    const asking = fetch(`${url}/v1/tools/slow/execute`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"input":{}}',
      signal: gone.signal,
    }).catch(() => 'gone');
    await running;
    gone.abort();
    expect(await asking).toBe('gone');
    await cancelled;
  });

  it('is waited for when the server closes, but only for a limited time', async () => {
    const { url, token, server } = await start();
    const running = new Promise<void>((resolve) => started.push(resolve));
    const cancelled = new Promise<void>((resolve) => stopped.push(resolve));
    const asking = fetch(`${url}/v1/tools/slow/execute`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"input":{}}',
    }).catch(() => 'cut');
    await running;
    await server.close(100);
    expect(await asking).toBe('cut');
    await cancelled;
  });
});
