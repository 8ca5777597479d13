/** How a session of the 2025 protocols answers, from outside the handler. */
import { afterEach, describe, expect, it } from 'vitest';
import { openSurface, type TestSurface, tokens } from '../../../../test/fixtures/mcp-surface.ts';
import { aTool } from '../../../../test/fixtures/test-crib.ts';
import { PATIENCE_MS } from './post-exchange.ts';

let open: TestSurface | undefined;
let finish: () => void = () => undefined;
let isRunning = false;
afterEach(async () => {
  await open?.close();
  open = undefined;
  isRunning = false;
});

const echo = aTool();
const noisy = aTool({
  name: 'noisy',
  run: (_input: never, context) => {
    context.progress(0.5, 'half');
    return 'done';
  },
});
const slow = aTool({
  name: 'slow',
  run: () =>
    new Promise((resolve) => {
      isRunning = true;
      finish = () => resolve('done at last');
    }),
});

const HEADERS = {
  host: 'localhost',
  authorization: 'Bearer alice',
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

type Extra = Readonly<Record<string, string>>;

const ask = (method: string, headers: Extra, body?: unknown): Promise<Response> =>
  (open as TestSurface).surface.fetch(
    new Request('http://localhost/mcp', {
      method,
      headers: { ...HEADERS, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );

const hello = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  },
};

/** The header that names a new session. */
const start = async (): Promise<Extra> => {
  open = await openSurface([echo, noisy, slow], { http: { authenticate: tokens } });
  const opened = await ask('POST', {}, hello);
  expect(await opened.json()).toMatchObject({ id: 0, result: { protocolVersion: '2025-11-25' } });
  return { 'mcp-session-id': String(opened.headers.get('mcp-session-id')) };
};

const call = (id: number, name: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: { text: `text ${id}` }, ...params },
});

const running = () => expect.poll(() => isRunning, { timeout: 20_000 }).toBe(true);

const typeOf = ({ headers }: Response): string | null => headers.get('content-type');

/** The messages of a stream that has ended. */
const eventsOf = async (response: Response): Promise<unknown[]> =>
  [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''));

describe('a POST of an MCP session', () => {
  it('that needs nothing but its response is one JSON text', async () => {
    const session = await start();
    const response = await ask('POST', session, call(1, 'echo'));
    expect([response.status, typeOf(response)]).toEqual([200, 'application/json']);
    expect(response.headers.get('mcp-session-id')).toBe(session['mcp-session-id']);
    expect(await response.json()).toMatchObject({
      id: 1,
      result: { structuredContent: { text: 'text 1' } },
    });
  });

  it('becomes a stream when another message goes before the response', async () => {
    const session = await start();
    const wanted = call(1, 'noisy', { _meta: { progressToken: 'p' } });
    const response = await ask('POST', session, wanted);
    expect([response.status, typeOf(response)]).toEqual([200, 'text/event-stream']);
    expect(await eventsOf(response)).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 0.5 } },
      { id: 1, result: { content: [{ text: 'done' }] } },
    ]);
  });

  it('becomes a stream when it lasts, and is kept alive', async () => {
    const session = await start();
    const { runtime } = (open as TestSurface).crib;
    const asked = ask('POST', session, call(1, 'slow'));
    await running();
    await runtime.advance(PATIENCE_MS);
    const response = await asked;
    expect(typeOf(response)).toBe('text/event-stream');
    await runtime.advance(15_000);
    finish();
    const text = await response.text();
    expect(text.match(/^: keepalive$/gm)).toHaveLength(1);
    expect(text).toContain('done at last');
  });

  it('of several messages is answered by a list of responses', async () => {
    const session = await start();
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const response = await ask('POST', session, [call(1, 'echo'), note, call(2, 'echo')]);
    const all = (await response.json()) as { id: number }[];
    expect(all.map(({ id }) => id).sort()).toEqual([1, 2]);
  });

  it('loses no response of a batch that becomes a stream', async () => {
    const session = await start();
    const asked = ask('POST', session, [call(1, 'echo'), call(2, 'slow')]);
    await running();
    await (open as TestSurface).crib.runtime.advance(PATIENCE_MS);
    finish();
    const ids = (await eventsOf(await asked)).map((each) => (each as { id: number }).id);
    expect(ids.sort()).toEqual([1, 2]);
  });

  it('without a request is accepted, and has no body', async () => {
    const session = await start();
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const response = await ask('POST', session, note);
    expect([response.status, await response.text()]).toEqual([202, '']);
  });

  it('that waits when the session ends gets an empty stream', async () => {
    const session = await start();
    const asked = ask('POST', session, call(1, 'slow'));
    await running();
    expect((await ask('DELETE', session)).status).toBe(200);
    const response = await asked;
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it('of a cancelled request ends when its id is used again', async () => {
    const session = await start();
    const asked = ask('POST', session, call(1, 'slow'));
    await running();
    const cancel = { method: 'notifications/cancelled', params: { requestId: 1 } };
    await ask('POST', session, { jsonrpc: '2.0', ...cancel });
    expect(await (await ask('POST', session, call(1, 'echo'))).json()).toMatchObject({ id: 1 });
    expect(await eventsOf(await asked)).toEqual([]);
  });
});

describe('an MCP session refuses', () => {
  const list = { jsonrpc: '2.0', id: 9, method: 'tools/list' };

  it.each<[string, number, string, Extra, unknown]>([
    ['a client that takes no streams', 406, 'POST', { accept: 'application/json' }, list],
    ['a client that takes no JSON', 406, 'POST', { accept: 'text/event-stream' }, list],
    ['a listener that takes no streams', 406, 'GET', { accept: 'application/json' }, undefined],
    ['an unknown version', 400, 'POST', { 'mcp-protocol-version': '1999-01-01' }, list],
    ['a listener of such', 400, 'GET', { 'mcp-protocol-version': '1999-01-01' }, undefined],
    ['an end of such', 400, 'DELETE', { 'mcp-protocol-version': '1999-01-01' }, undefined],
    ['a second beginning', 400, 'POST', {}, { ...hello, id: 9 }],
    [
      'too large a batch',
      400,
      'POST',
      {},
      Array.from({ length: 101 }, (_, id) => ({ ...list, id })),
    ],
    ['no message', 400, 'POST', {}, { jsonrpc: '2.0', id: 9 }],
    ['a message with more in it', 400, 'POST', {}, { ...list, more: true }],
    ['an id that is no whole number', 400, 'POST', {}, { ...list, id: 1.5 }],
    ['another method', 405, 'PUT', {}, undefined],
  ])('%s: %i', async (_what, status, method, headers, body) => {
    const session = await start();
    const response = await ask(method, { ...session, ...headers }, body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: {} });
    // Its id is free, and the session is as it was.
    expect((await ask('POST', session, list)).status).toBe(200);
  });

  it('an initialize request in a batch', async () => {
    await start();
    expect((await ask('POST', {}, [hello, { ...list, id: 1 }])).status).toBe(400);
  });
});

describe('the own stream of an MCP client', () => {
  it('is open once at a time, and can be opened again', async () => {
    const session = await start();
    const first = await ask('GET', session);
    expect([first.status, typeOf(first)]).toEqual([200, 'text/event-stream']);
    expect((await ask('GET', session)).status).toBe(409);
    await first.body?.cancel();
    const again = await ask('GET', session);
    expect(again.status).toBe(200);
    await again.body?.cancel();
  });

  it('carries messages that belong to no request, and ends with the session', async () => {
    const session = await start();
    const stream = await ask('GET', session);
    const { crib } = open as TestSurface;
    crib.tools.registerAll([aTool({ name: 'another' })]);
    await crib.runtime.advance(1000);
    await crib.runtime.advance(31_000);
    await ask('DELETE', session);
    const text = await stream.text();
    expect(text).toMatch(/^event: message\ndata: .*notifications\/tools\/list_changed.*\n\n/);
    expect(text.match(/^: keepalive$/gm)).toHaveLength(2);
    expect((await ask('GET', session)).status).toBe(404);
  });
});
