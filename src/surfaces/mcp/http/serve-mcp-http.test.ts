/** MCP over a real socket: how bodies come in, and how answers go out. */
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openSurface, type TestSurface, tokens } from '../../../../test/fixtures/mcp-surface.ts';
import { aTool } from '../../../../test/fixtures/test-crib.ts';
import type { HttpServer } from '../../door/listen.ts';
import { PATIENCE_MS } from './post-exchange.ts';
import { serveMcpHttp } from './serve-mcp-http.ts';

type Body = string | ReadableStream<Uint8Array>;

const MAX_BYTES = 2000;
let open: TestSurface;
let server: HttpServer;
let finish: () => void = () => undefined;
let isRunning = false;
afterEach(async () => {
  await open.close();
  await server.close();
  isRunning = false;
});

const slow = aTool({
  name: 'slow',
  run: () =>
    new Promise((resolve) => {
      isRunning = true;
      finish = () => resolve('done at last');
    }),
});

const HEADERS: Readonly<Record<string, string>> = {
  authorization: 'Bearer alice',
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
const HELLO = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
};

const message = (method: string, params: object = {}, id = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

const post = (body: Body, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.url, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body,
    duplex: 'half',
  } as RequestInit);

/** The header that names a new session. */
const start = async (): Promise<Record<string, string>> => {
  const http = { authenticate: tokens };
  open = await openSurface([aTool(), slow], { http, maxBodyBytes: MAX_BYTES });
  server = await serveMcpHttp(open.surface, { port: 0, log: open.crib.runtime.log });
  const opened = await post(message('initialize', HELLO, 0));
  await opened.text();
  return { 'mcp-session-id': String(opened.headers.get('mcp-session-id')) };
};

const inPieces = (text: string, ...more: readonly string[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    async start(controller) {
      for (const piece of [text, ...more]) {
        controller.enqueue(new TextEncoder().encode(piece));
        await new Promise((resolve) => setImmediate(resolve));
      }
      controller.close();
    },
  });

describe('the body of an MCP request', () => {
  const text = message('tools/call', { name: 'echo', arguments: { text: 'grüße' } });

  it.each<[string, () => Body]>([
    ['whole', () => text],
    ['in pieces', () => inPieces(text.slice(0, 40), text.slice(40))],
    ['after a byte order mark', () => `\uFEFF${text}`],
  ])('is read %s', async (_what, body) => {
    const response = await post(body(), await start());
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({
      result: { structuredContent: { text: 'grüße' } },
    });
  });

  it.each<[string, () => Body]>([
    ['says so', () => 'x'.repeat(MAX_BYTES + 1)],
    ['does not', () => inPieces('x'.repeat(MAX_BYTES), 'x')],
  ])('that is too large is refused when it %s', async (_what, body) => {
    const session = await start();
    expect((await post(body(), session)).status).toBe(413);
  });
});

it('threat: a request with two Host headers is refused', async () => {
  await start();
  const { hostname, port, host } = new URL(server.url);
  const head = `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\n`;
  const said = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${head}Authorization: Bearer alice\r\nContent-Length: 0\r\n\r\n`),
    );
    socket.once('data', (chunk) => {
      resolve(String(chunk));
      socket.destroy();
    });
    socket.once('error', reject);
  });
  expect(said).toMatch(/^HTTP\/1\.1 40[03] /);
});

describe('the stream of an MCP call', () => {
  it('opens while the call runs, and ends with its response', async () => {
    const session = await start();
    const asked = post(message('tools/call', { name: 'slow' }), session);
    await expect.poll(() => isRunning, { timeout: 20_000 }).toBe(true);
    await open.crib.runtime.advance(PATIENCE_MS);
    const response = await asked;
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    finish();
    expect(await response.text()).toContain('done at last');
  });

  it('of a client that disconnected is replaced by its next one', async () => {
    const session = await start();
    const listen = async (signal?: AbortSignal): Promise<number> => {
      const headers = { ...HEADERS, ...session };
      const response = await fetch(server.url, { headers, ...(signal && { signal }) });
      if (!signal) await response.body?.cancel();
      return response.status;
    };
    const leave = new AbortController();
    expect(await listen(leave.signal)).toBe(200);
    expect(await listen()).toBe(409);
    leave.abort();
    await expect.poll(() => listen(), { timeout: 20_000 }).toBe(200);
  });

  it('that its client has left does not fail the call', async () => {
    const session = await start();
    const leave = new AbortController();
    const asked = fetch(server.url, {
      method: 'POST',
      headers: { ...HEADERS, ...session },
      body: message('tools/call', { name: 'slow' }, 7),
      signal: leave.signal,
    });
    asked.catch(() => undefined);
    await expect.poll(() => isRunning, { timeout: 20_000 }).toBe(true);
    leave.abort();
    finish();
    // Its id is free again once it was answered, although to nobody.
    const again = () => post(message('tools/list', {}, 7), session).then(({ status }) => status);
    await expect.poll(again, { timeout: 20_000 }).toBe(200);
  });
});
