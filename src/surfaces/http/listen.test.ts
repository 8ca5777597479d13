/** The HTTP surface over a socket: requests from Node are checked like those of the web. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openHttp, type TestHttp } from '../../../test/fixtures/http-surface.ts';
import { openRaw, statusIn } from '../../../test/fixtures/raw-http.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { HttpServer } from '../door/listen.ts';

const TIME_LIMIT = 30_000;
const SOON = { timeout: TIME_LIMIT, interval: 5 };
const MOST = 1000;

let http: TestHttp;
let server: HttpServer;
let host: string;
const runs: ToolContext[] = [];
let release: () => void = () => undefined;

beforeEach(async () => {
  runs.length = 0;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const patient = aTool({
    name: 'patient',
    run: async (_, context) => {
      runs.push(context);
      await released;
      return 'done';
    },
  });
  http = await openHttp([aTool(), patient], {
    randomBytes,
    limits: { bodyBytes: MOST },
    mcp: async (request) => new Response(await request.web().text(), { status: 201 }),
    metrics: ({ url }) => new Response(url),
  });
  server = await http.surface.listen({ host: '127.0.0.1', port: 0 });
  host = new URL(server.url).host;
});
afterEach(async () => {
  release();
  await server.close();
  await http.close();
});

interface Sent {
  readonly target?: string;
  readonly method?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
  readonly token?: string;
}

const textOf = ({ target, method, headers, body, token }: Sent): string =>
  [
    `${method ?? 'POST'} ${target ?? '/v1/tools/echo/execute'} HTTP/1.1`,
    ...(headers ?? [
      `Host: ${host}`,
      'Content-Type: application/json',
      `Authorization: Bearer ${token ?? http.tokens.agent}`,
      ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ]),
    '',
    body ?? '',
  ].join('\r\n');

/** Sends it, and half-closes: the answer is all that comes back. */
const send = async (sent: Sent): Promise<{ status: number; text: string }> => {
  const raw = openRaw(server.url, textOf(sent));
  const closing = raw.closed;
  raw.socket.once('data', () => raw.socket.end());
  const text = await closing;
  return { status: statusIn(text), text };
};

const CALL = JSON.stringify({ input: { text: 'good morning' } });

describe('a call over a socket', { timeout: TIME_LIMIT }, () => {
  it('is answered with the result and every header', async () => {
    const { status, text } = await send({ body: CALL });
    expect(status, text).toBe(200);
    expect(text).toContain('"success":true');
    for (const header of [
      'content-type: application/json',
      'cache-control: no-store',
      'x-content-type-options: nosniff',
      'cross-origin-resource-policy: same-origin',
      "content-security-policy: default-src 'none'",
      'x-request-id: ',
      'content-length: ',
    ]) {
      expect(text).toContain(header);
    }
  });

  it('may come in pieces, in chunks, and one after the other on one connection', async () => {
    const raw = openRaw(server.url);
    let received = '';
    raw.socket.on('data', (chunk) => {
      received += chunk.toString();
    });
    const answers = (): number => received.split('"success":true').length - 1;
    const whole = textOf({ body: CALL });
    raw.socket.write(whole.slice(0, -10));
    await vi.waitFor(() => expect(raw.socket.bytesWritten).toBe(whole.length - 10), SOON);
    raw.socket.write(whole.slice(-10));
    await vi.waitFor(() => expect(answers()).toBe(1), SOON);
    const chunked = textOf({
      headers: [
        `Host: ${host}`,
        'Content-Type: application/json; charset=utf-8',
        `Authorization: Bearer ${http.tokens.agent}`,
        'Transfer-Encoding: chunked',
      ],
      body: `${CALL.length.toString(16)}\r\n${CALL}\r\n0\r\n\r\n`,
    });
    raw.socket.write(chunked + whole);
    await vi.waitFor(() => expect(answers()).toBe(3), SOON);
    raw.socket.end();
    await raw.closed;
  });

  it('finds a tool whose name has to be decoded', async () => {
    expect((await send({ target: '/v1/tools/ec%68o/execute', body: CALL })).status).toBe(200);
  });
});

describe('threat: a body that is not what it must be', { timeout: TIME_LIMIT }, () => {
  const headersWith = (...more: string[]): readonly string[] => [
    `Host: ${host}`,
    `Authorization: Bearer ${http.tokens.agent}`,
    ...more,
  ];

  it('is refused unread when its announced length is too large', async () => {
    const json = 'Content-Type: application/json';
    const headers = headersWith(json, `Content-Length: ${MOST + 1}`);
    const { status, text } = await send({ headers });
    expect(status).toBe(413);
    expect(text.toLowerCase()).toContain('connection: close');
  });

  it('is cut off when it grows too large without a length', async () => {
    const json = 'Content-Type: application/json';
    const headers = headersWith(json, 'Transfer-Encoding: chunked');
    const body = `${(MOST + 1).toString(16)}\r\n${' '.repeat(MOST + 1)}\r\n`;
    expect((await send({ headers, body })).status).toBe(413);
    expect((await send({ headers, body: `${body}0\r\n\r\n` })).status).toBe(413);
  });

  it.each([
    ['text', ['Content-Type: text/plain', 'Content-Length: 2'], '{}', 415],
    ['nothing said', ['Content-Length: 2'], '{}', 415],
    [
      'compressed',
      ['Content-Type: application/json', 'Content-Encoding: gzip', 'Content-Length: 2'],
      '{}',
      415,
    ],
    ['no JSON', ['Content-Type: application/json', 'Content-Length: 2'], '{,', 400],
    ['an unknown field', ['Content-Type: application/json', 'Content-Length: 7'], '{"x":1}', 400],
  ])('%s', async (_, more, body, expected) => {
    expect((await send({ headers: headersWith(...more), body })).status).toBe(expected);
  });

  it('is refused when it is not UTF-8', async () => {
    const json = 'Content-Type: application/json';
    const raw = openRaw(server.url, textOf({ headers: headersWith(json, 'Content-Length: 2') }));
    raw.socket.write(Buffer.from([0xc3, 0x28]));
    raw.socket.once('data', () => raw.socket.end());
    expect(await raw.closed).toMatch(/^HTTP\/1\.1 400 [\s\S]*not UTF-8/);
  });

  it('is not read before its sender is known', async () => {
    const { status, text } = await send({
      headers: [`Host: ${host}`, 'Content-Type: application/json', 'Content-Length: 900'],
    });
    expect(status).toBe(401);
    expect(text.toLowerCase()).toContain('connection: close');
  });
});

describe('threat: a request that two programs read differently', { timeout: TIME_LIMIT }, () => {
  it.each([
    'Host: 127.0.0.1',
    'Authorization: Bearer other',
    'Content-Type: text/plain',
    'oRiGiN: x',
  ])('has the header %s twice and is refused', async (line) => {
    const twice = line.startsWith('oRiGiN') ? [line, 'Origin: y'] : [line];
    const headers = [
      `Host: ${host}`,
      'Content-Type: application/json',
      `Authorization: Bearer ${http.tokens.agent}`,
      `Content-Length: ${CALL.length}`,
      ...twice,
    ];
    const { status, text } = await send({ headers, body: CALL });
    expect(status).toBe(400);
    expect(text).not.toContain('"success":true');
  });

  it.each(['/v1/tools/../tools/echo/execute', '/v1/tools/x/%2e%2e/echo/execute'])(
    'is resolved before a route is chosen: %s',
    async (target) => {
      expect((await send({ target, body: CALL })).status).toBe(200);
    },
  );

  it.each(['\\v1\\tools', '*', 'v1/tools'])(
    'has an invalid target and is refused: %s',
    async (target) => {
      expect((await send({ target, body: CALL })).status).toBe(400);
    },
  );

  it('leaves a double slash alone', async () => {
    expect((await send({ target: '//v1/tools/echo/execute', body: CALL })).status).toBe(404);
  });

  it('names another host and is refused', async () => {
    const headers = ['Host: evil.example', `Authorization: Bearer ${http.tokens.agent}`];
    expect((await send({ method: 'GET', target: '/v1/tools', headers })).status).toBe(403);
    // One that was good is good again, one that was bad is not remembered.
    expect((await send({ body: CALL })).status).toBe(200);
    expect((await send({ method: 'GET', target: '/v1/tools', headers })).status).toBe(403);
  });
});

describe('a handler that takes web requests', { timeout: TIME_LIMIT }, () => {
  it('gets the whole request with its body, and its response is sent', async () => {
    const { status, text } = await send({ target: '/mcp', body: CALL });
    expect(status).toBe(201);
    expect(text).toContain('good morning');
    expect(text).toContain('x-request-id: ');
    const metrics = await send({
      method: 'GET',
      target: '/metrics?a=b',
      token: http.tokens.viewer,
    });
    expect(metrics.text).toContain(`http://${host}/metrics?a=b`);
  });
});

describe('threat: a client that leaves', { timeout: TIME_LIMIT }, () => {
  it('cancels its call, and no other', async () => {
    const body = JSON.stringify({ input: { text: 'wait' } });
    const target = '/v1/tools/patient/execute';
    const leaving = openRaw(server.url, textOf({ target, body }));
    await vi.waitFor(() => expect(runs).toHaveLength(1), SOON);
    const staying = openRaw(server.url, textOf({ target, body }));
    await vi.waitFor(() => expect(runs).toHaveLength(2), SOON);
    leaving.socket.destroy();
    await vi.waitFor(() => expect(runs[0]?.signal.aborted).toBe(true), SOON);
    expect(runs[1]?.signal.aborted).toBe(false);
    release();
    staying.socket.once('data', () => staying.socket.end());
    expect(await staying.closed).toContain('"success":true');
  });

  it('before its body has arrived leaves nothing behind', async () => {
    const finished: string[] = [];
    http.crib.events.on('call.finished', ({ result }) => finished.push(result.status));
    const whole = textOf({ body: CALL });
    const raw = openRaw(server.url, whole.slice(0, -5));
    await raw.connected;
    raw.socket.destroy();
    await raw.closed;
    expect((await send({ body: CALL })).status).toBe(200);
    expect(finished).toEqual(['success']);
  });
});
