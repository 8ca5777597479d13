import { request as httpRequest } from 'node:http';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, describe, expect, it } from 'vitest';
import { AMBIGUOUS } from '../../../../test/fixtures/ambiguous-json.ts';
import {
  ERAS,
  httpClient,
  newClient,
  openSurface,
  type TestSurface,
  textOf,
  tokens,
} from '../../../../test/fixtures/mcp-surface.ts';
import { aTool } from '../../../../test/fixtures/test-crib.ts';
import type { HttpServer } from '../../door/listen.ts';
import { bearerToken, newToken, serveMcpHttp } from './serve-mcp-http.ts';

let open: TestSurface | undefined;
let server: HttpServer | undefined;
afterEach(async () => {
  await open?.close();
  await server?.close();
  open = undefined;
  server = undefined;
});

let calls = 0;
const echo = aTool({
  run: (input: unknown) => {
    calls += 1;
    return input;
  },
});

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const HEADERS = {
  host: 'localhost:7421',
  authorization: 'Bearer alice',
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

const modernHeaders = {
  ...HEADERS,
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'echo',
};

const callBody = (id: number | string = 1): unknown => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'echo', arguments: { text: 'hello' }, _meta: MODERN },
});

const post = async (headers: Record<string, string>, body: unknown): Promise<Response> =>
  (open as TestSurface).surface.fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  );

const start = async (maxBodyBytes = 100_000): Promise<void> => {
  calls = 0;
  open = await openSurface([echo], { http: { authenticate: tokens }, maxBodyBytes });
};

const initialize = async (user = 'alice'): Promise<string> => {
  const response = await post(
    { ...HEADERS, authorization: `Bearer ${user}` },
    {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'raw', version: '1' },
      },
    },
  );
  await response.text();
  return String(response.headers.get('mcp-session-id'));
};

describe('DNS rebinding and foreign pages', () => {
  it.each([
    ['a foreign host', { host: 'evil.example' }],
    ['a host that only ends like ours', { host: 'notlocalhost' }],
    ['a host with ours in its name', { host: 'localhost.evil.example' }],
    ['a foreign page', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
    ['a page with ours in its name', { origin: 'https://localhost.evil.example' }],
  ])('refuses %s', async (_what, headers) => {
    await start();
    const response = await post({ ...modernHeaders, ...headers }, callBody());
    expect(response.status).toBe(403);
    expect(calls).toBe(0);
  });

  it('refuses a request without a host', async () => {
    await start();
    const { host: _host, ...rest } = modernHeaders;
    expect((await post(rest, callBody())).status).toBe(403);
  });

  it('lets this machine through, from a page of its own too', async () => {
    await start();
    const response = await post({ ...modernHeaders, origin: 'http://127.0.0.1:3000' }, callBody());
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('hello');
    expect(calls).toBe(1);
  });
});

describe('authentication of MCP clients over HTTP', () => {
  it.each([
    ['no token', undefined],
    ['a wrong token', 'Bearer mallory'],
    ['another scheme', 'Basic YWxpY2U6'],
  ])('answers %s with 401 and a challenge, before the body is read', async (_what, given) => {
    await start();
    let read = 0;
    const body = new ReadableStream({
      pull(controller) {
        read += 1;
        controller.enqueue(new Uint8Array(1000));
      },
    });
    const { authorization: _gone, ...rest } = modernHeaders;
    const response = await (open as TestSurface).surface.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { ...rest, ...(given !== undefined && { authorization: given }) },
        body,
        duplex: 'half',
      } as RequestInit),
    );
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="toolcrib"');
    expect(read).toBeLessThanOrEqual(1);
  });

  it('refuses every client without `authenticate`, and when it throws', async () => {
    open = await openSurface([echo]);
    expect((await post(modernHeaders, callBody())).status).toBe(401);
    await open.close();
    const authenticate = () => Promise.reject(new Error('the key store is down'));
    const resourceMetadataUrl = 'https://tools.example/.well-known/oauth-protected-resource';
    open = await openSurface([echo], { http: { authenticate, resourceMetadataUrl } });
    const response = await post(modernHeaders, callBody());
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain(
      `resource_metadata="${resourceMetadataUrl}"`,
    );
  });

  it('compares whole tokens', async () => {
    const token = newToken();
    const identity = { key: 'one', caller: { userId: 'one' } };
    const check = bearerToken(token, identity);
    const as = (authorization: string) =>
      check(new Request('http://localhost', { headers: { authorization } }));
    expect(await as(`Bearer ${token}`)).toBe(identity);
    expect(await as(`Bearer ${token.slice(0, -1)}`)).toBeUndefined();
    expect(await as(`Bearer ${token}x`)).toBeUndefined();
    expect(await as('Bearer ')).toBeUndefined();
    expect(() => bearerToken('', identity)).toThrow('empty');
  });
});

describe('requests that lie or are too large', () => {
  it('refuses an oversize body', async () => {
    await start(1000);
    const padded = { ...(callBody() as object), padding: 'x'.repeat(2000) };
    expect((await post(modernHeaders, padded)).status).toBe(413);
    expect(calls).toBe(0);
  });

  it.each([
    ['another tool in the header', { 'mcp-name': 'other' }],
    ['another method in the header', { 'mcp-method': 'tools/list' }],
    ['another protocol in the header', { 'mcp-protocol-version': '2025-11-25' }],
    ['an unknown protocol in the header', { 'mcp-protocol-version': '2099-01-01' }],
  ])('refuses %s', async (_what, headers) => {
    await start();
    const response = await post({ ...modernHeaders, ...headers }, callBody());
    expect(response.status).toBe(400);
    expect(calls).toBe(0);
  });

  it.each([
    ['no JSON', '{"jsonrpc": "2.0", '],
    ['a number', '7'],
    ['nothing', ''],
  ])('refuses %s as a body', async (_what, body) => {
    await start();
    expect((await post(HEADERS, body)).status).toBe(400);
  });

  it.each(AMBIGUOUS)('refuses a body with %s and calls nothing', async (_what, data) => {
    await start();
    const sent = JSON.stringify(callBody()).replace('"hello"', data);
    const response = await post(modernHeaders, sent);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: -32700 } });
    expect(calls).toBe(0);
  });

  it('refuses another content type', async () => {
    await start();
    const response = await post({ ...modernHeaders, 'content-type': 'text/plain' }, callBody());
    expect(response.status).toBe(415);
  });
});

describe('sessions of the 2025 protocols', () => {
  const listIn = (session: string, user = 'alice'): Promise<Response> =>
    post(
      { ...HEADERS, authorization: `Bearer ${user}`, 'mcp-session-id': session },
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    );

  it('belong to the user who opened them', async () => {
    await start();
    const session = await initialize();
    expect((await listIn(session)).status).toBe(200);
    expect((await listIn(session, 'bob')).status).toBe(404);
    expect((await listIn('made-up')).status).toBe(404);
  });

  it('are required after the first message', async () => {
    await start();
    const response = await post(HEADERS, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(response.status).toBe(400);
  });

  it('end when the client says so', async () => {
    await start();
    const session = await initialize();
    const gone = await (open as TestSurface).surface.fetch(
      new Request('http://localhost/mcp', {
        method: 'DELETE',
        headers: { ...HEADERS, 'mcp-session-id': session },
      }),
    );
    expect(gone.status).toBe(200);
    expect((await listIn(session)).status).toBe(404);
  });

  it('answer no two requests under one id', async () => {
    let finish: () => void = () => undefined;
    let isRunning = false;
    const slow = aTool({
      run: (input: { text: string }) =>
        input.text === 'first'
          ? new Promise((resolve) => {
              isRunning = true;
              finish = () => resolve(input);
            })
          : input,
    });
    open = await openSurface([slow], { http: { authenticate: tokens } });
    const session = await initialize();
    const call = (text: string) =>
      post(
        { ...HEADERS, 'mcp-session-id': session },
        {
          jsonrpc: '2.0',
          id: 5,
          method: 'tools/call',
          params: { name: 'echo', arguments: { text } },
        },
      );
    const first = call('first');
    // It is answered when it is done: until then it must be seen to run.
    await expect.poll(() => isRunning, { timeout: 20_000 }).toBe(true);
    const second = await call('second');
    expect(second.status).toBe(400);
    finish();
    expect(await (await first).text()).toContain('first');
    expect(await (await call('third')).text()).toContain('third');
  });
});

describe('answers of different clients', () => {
  it.each(ERAS)('do not cross in the %s era', async (era) => {
    await start();
    const surface = (open as TestSurface).surface;
    const users = ['alice', 'bob', 'alice', 'bob'];
    const clients = await Promise.all(users.map((user) => httpClient(surface, era, { user })));
    const all = clients.flatMap((client, at) =>
      Array.from({ length: 25 }, async (_, turn) => {
        const text = `${at}-${turn}`;
        const reply = await client.callTool({ name: 'echo', arguments: { text } });
        return (reply.structuredContent as { text: string }).text === text;
      }),
    );
    expect((await Promise.all(all)).every(Boolean)).toBe(true);
    const rows = await (await (open as TestSurface).crib.store()).audit.query({ limit: 1000 });
    const sessions = new Set(rows.map(({ userId, sessionId }) => `${userId}:${sessionId}`));
    expect(sessions.size).toBe(era === 'legacy' ? 4 : 2);
  });

  it.each(ERAS)('do not hand out another user’s results in the %s era', async (era) => {
    const large = aTool({ name: 'large', run: () => 'private '.repeat(200_000) });
    open = await openSurface([large], { http: { authenticate: tokens } });
    const alice = await httpClient(open.surface, era);
    const bob = await httpClient(open.surface, era, { user: 'bob' });
    const reply = await alice.callTool({ name: 'large', arguments: {} });
    const { handle } = reply.structuredContent as { handle: string };
    const uri = `toolcrib://results/${handle}`;
    expect((await alice.readResource({ uri })).contents).toHaveLength(1);
    await expect(bob.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
  });
});

describe('MCP over a socket', () => {
  const listen = async (): Promise<string> => {
    await start();
    const { surface, crib } = open as TestSurface;
    server = await serveMcpHttp(surface, { port: 0, log: crib.runtime.log });
    return server.url;
  };
  const requestInit = { headers: { authorization: 'Bearer alice' } };

  it.each(ERAS)('serves a client of the %s era', async (era) => {
    const url = new URL(await listen());
    const client = newClient(era);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    const reply = await client.callTool({ name: 'echo', arguments: { text: 'over a socket' } });
    expect(textOf(reply)).toContain('over a socket');
    await client.close();
  });

  it('serves a client of SDK 1.x', async () => {
    const url = new URL(await listen());
    const client = new OldClient({ name: 'old', version: '1' });
    await client.connect(new OldHttpTransport(url, { requestInit }) as never);
    expect((await client.listTools()).tools).toHaveLength(1);
    const reply = await client.callTool({ name: 'echo', arguments: { text: 'x' } });
    expect(textOf(reply)).toContain('"x"');
    await client.close();
  });

  it('answers nothing but its own path, and a foreign host with 403', async () => {
    const url = new URL(await listen());
    expect((await fetch(new URL('/other', url))).status).toBe(404);
    const status = await new Promise((resolve, reject) => {
      const asked = httpRequest(url, { headers: { host: 'evil.example' } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.once('error', reject);
      asked.end();
    });
    expect(status).toBe(403);
  });

  it('cancels a call whose client hangs up', async () => {
    let signal: AbortSignal | undefined;
    const stuck = aTool({
      name: 'stuck',
      run: (_input: never, context) => {
        signal = context.signal;
        return new Promise((_resolve, reject) => {
          context.signal.addEventListener('abort', () => reject(new Error('gone')));
        });
      },
    });
    open = await openSurface([stuck], { http: { authenticate: tokens } });
    server = await serveMcpHttp(open.surface, { port: 0, log: open.crib.runtime.log });
    const hangUp = new AbortController();
    const asked = fetch(server.url, {
      method: 'POST',
      headers: { ...modernHeaders, 'mcp-name': 'stuck' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'stuck', arguments: {}, _meta: MODERN },
      }),
      signal: hangUp.signal,
    }).then((response) => response.text());
    asked.catch(() => undefined);
    await expect.poll(() => signal, { timeout: 20_000 }).toBeDefined();
    hangUp.abort();
    await expect.poll(() => signal?.aborted, { timeout: 20_000 }).toBe(true);
  });
});
