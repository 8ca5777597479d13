/** Requests to a real WebSocket server through a whole crib: replies that are lost, late, doubled, too large. */
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { codeBlocks } from '../../../test/architecture/code-blocks.ts';
import { openReplyServer, type ReplyServer } from '../../../test/fixtures/reply-server.ts';
import { ALLOW_ALL } from '../../../test/fixtures/vendors/vendor-crib.ts';
import type { CribHost } from '../../contract/crib-host.ts';
import { createCribHost } from '../../crib/create-crib.ts';

const NUMBER = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const message = (op: string) => ({ op, args: { from: 'input' }, fixed: { value: { from: 'x' } } });

const OPERATIONS = {
  read: {
    description: 'Reads.',
    input: NUMBER,
    output: { type: 'object', properties: { n: { type: 'integer' } } },
    request: message('read'),
    reply: 'result',
    error: 'problem',
    tier: 'read_only',
  },
  write: { description: 'Writes.', input: NUMBER, request: message('write'), reply: 'result' },
  plain: { description: 'Sends what it gets.', input: { type: 'object' } },
};

const KEYS: Readonly<Record<string, string>> = {
  WS_TOKEN: 'open-sesame',
  WS_BAD: 'other-words',
  DESK_TOKEN: 'open-sesame',
};

let server: ReplyServer;
let crib: CribHost;
let sessions = 0;
const opened: { close(): Promise<void> }[] = [];
beforeEach(async () => {
  server = await openReplyServer();
  opened.push(server);
});
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

const openCrib = async (own: object = {}): Promise<void> => {
  crib = await createCribHost({
    builtins: false,
    store: 'memory',
    policy: ALLOW_ALL,
    home: await mkdtemp(join(tmpdir(), 'toolcrib-websocket-')),
    secrets: { get: async (key) => KEYS[key] },
    config: {
      registry: { lock: 'off' },
      sources: {
        websocket: {
          desk: {
            url: server.url,
            operations: OPERATIONS,
            correlation: { field: 'meta.id', replyField: 'ref' },
            ...own,
          },
        },
      },
    } as never,
  });
  opened.push(crib);
};

const call = (tool: string, input: object, options: object = {}) => {
  sessions += 1;
  return crib.execute(tool, input, { sessionId: `session-${sessions}`, ...options });
};
const succeeds = (n: number) => ({ success: true, data: { n } });
const fails = (code: string, more: object = {}) => ({ success: false, error: { code, ...more } });

describe('a WebSocket service as a source', () => {
  it('answers calls over one connection that the first call opens', async () => {
    await openCrib();
    expect(server.sockets.length).toBe(0);
    expect(await call('read', { n: 1 })).toMatchObject(succeeds(1));
    expect(await call('desk.write', { n: 2 })).toMatchObject(succeeds(2));
    expect(server.sockets.length).toBe(1);
    const tiers = crib.tools.list().map(({ tool }) => [tool.name, tool.tier]);
    expect(Object.fromEntries(tiers)).toEqual({
      read: 'read_only',
      write: 'external_api',
      plain: 'external_api',
    });
    const ids = server.asked.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('gives replies that come out of order to their calls', async () => {
    await openCrib();
    const held: (() => void)[] = [];
    server.answer = ({ reply, args }) => held.push(() => reply({ result: args }));
    const calls = Array.from({ length: 50 }, (_, n) => call('read', { n }));
    await server.arrived(50);
    for (const answer of held.reverse()) answer();
    const results = await Promise.all(calls);
    expect(results.map((one) => (one.success ? one.data : one.error.code))).toEqual(
      Array.from({ length: 50 }, (_, n) => ({ n })),
    );
    expect(server.sockets.length).toBe(1);
  });

  it('drops unknown, doubled and malformed replies', async () => {
    await openCrib();
    server.answer = ({ reply, args, socket }) => {
      socket.send('no json');
      socket.send(JSON.stringify({ ref: 'nobody', result: { n: 666 } }));
      socket.send(JSON.stringify({ ref: { toString: 1 }, result: { n: 666 } }));
      socket.send(JSON.stringify(['ref']));
      socket.send(Buffer.from([0xff, 0xfe]));
      reply({ result: args });
      reply({ result: { n: 666 } });
    };
    for (const n of [1, 2, 3]) expect(await call('read', { n })).toMatchObject(succeeds(n));
  });

  it('drops a reply that comes after the time limit of its call', async () => {
    await openCrib();
    const late: (() => void)[] = [];
    server.answer = ({ reply }) => late.push(() => reply({ result: { n: 666 } }));
    const timed = call('write', { n: 1 }, { timeoutMs: 300 });
    expect(await timed).toMatchObject(fails('TIMEOUT'));
    server.answer = ({ reply, args }) => {
      for (const answer of late.splice(0)) answer();
      reply({ result: args });
    };
    expect(await call('read', { n: 2 })).toMatchObject(succeeds(2));
    expect(server.sockets.length).toBe(1);
  });

  it('fails waiting calls when the connection is lost; repeats only what reads', async () => {
    await openCrib();
    server.answer = ({ op, socket, args, reply }) => {
      const losses = server.asked.filter((each) => each.op === op).length;
      if (losses === 1) socket.terminate();
      else reply({ result: args });
    };
    const written = await call('write', { n: 1 });
    expect(written).toMatchObject(fails('NETWORK', { retryable: false }));
    expect(server.asked.filter(({ op }) => op === 'write').length).toBe(1);
    expect(await call('read', { n: 2 })).toMatchObject(succeeds(2));
    expect(server.asked.filter(({ op }) => op === 'read').length).toBe(2);
  });

  it('says that a call was not sent when the service cannot be reached', async () => {
    await openCrib();
    await server.close();
    opened.splice(opened.indexOf(server), 1);
    const refused = await call('write', { n: 1 });
    expect(refused).toMatchObject(fails('NETWORK', { retryable: true }));
    const again = await call('write', { n: 1 });
    expect(again).toMatchObject(fails('NETWORK', { retryable: true }));
    expect(again.success || again.error.retryAfterMs).toBeGreaterThan(0);
    const { port } = server;
    server = await openReplyServer(port);
    opened.push(server);
    expect(await call('read', { n: 3 })).toMatchObject(succeeds(3));
  });

  it('cuts off a service that sends a message that is too large, or floods', async () => {
    await openCrib({ maxMessageBytes: 2000, tools: { read: { tier: 'write' } } });
    server.answer = ({ reply }) => reply({ result: { n: 1, text: 'x'.repeat(5000) } });
    expect(await call('read', { n: 1 })).toMatchObject(fails('NETWORK'));
    expect(await call('read', { n: 1, text: 'x'.repeat(5000) })).toMatchObject({ success: false });
    await new Promise((resolve) => setTimeout(resolve, 600));
    let sent = 0;
    server.answer = ({ socket }) => {
      const timer = setInterval(() => {
        for (let at = 0; at < 500; at += 1) socket.send('{"ref":"nobody"}');
        sent += 500;
        if (socket.readyState !== socket.OPEN) clearInterval(timer);
      }, 1);
      socket.on('close', () => clearInterval(timer));
    };
    expect(await call('read', { n: 1 })).toMatchObject(fails('NETWORK'));
    expect(sent).toBeGreaterThan(1000);
  });

  it('reports errors of the service, results in the wrong place, and wrong types', async () => {
    await openCrib();
    server.answer = ({ reply }) => reply({ problem: { why: 'closed\u202e' } });
    const refused = await call('read', { n: 1 });
    expect(refused).toMatchObject(fails('EXECUTION_FAILED'));
    expect(JSON.stringify(refused)).toContain('closed\\\\u202e');
    server.answer = ({ reply }) => reply({ other: 1 });
    expect(await call('read', { n: 1 })).toMatchObject(fails('OUTPUT_INVALID'));
    server.answer = ({ reply }) => reply({ result: { n: 'one' } });
    expect(await call('read', { n: 1 })).toMatchObject(fails('OUTPUT_INVALID'));
    expect(await call('read', { n: 'one' })).toMatchObject(fails('VALIDATION_ERROR'));
  });

  it('lets a caller set neither the id of its request nor a reference', async () => {
    await openCrib();
    let arrived: Record<string, unknown> = {};
    server.first = (one) => {
      arrived = one;
      return false;
    };
    server.answer = ({ reply }) => reply({});
    await call('plain', { meta: { id: 'mine', more: 1 }, op: { from: 'input' } });
    expect(arrived.op).toEqual({ from: 'input' });
    expect(arrived.meta).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), more: 1 });
  });

  it('closes the connection when nobody uses it, and cuts one that gives no sign', async () => {
    await openCrib({ idleMs: 50, heartbeatMs: 40 });
    await call('read', { n: 1 });
    const [first] = server.sockets;
    await new Promise((resolve) => first?.once('close', resolve));
    server.answer = ({ socket }) => {
      // A peer that is gone answers no ping.
      (socket as unknown as { _autoPong: boolean })._autoPong = false;
    };
    expect(await call('write', { n: 2 })).toMatchObject(fails('NETWORK', { retryable: false }));
    expect(server.sockets.length).toBe(2);
  });

  it('ends the calls that wait when the source is removed', async () => {
    await openCrib();
    server.answer = () => undefined;
    const waiting = call('write', { n: 1 });
    await server.arrived(1);
    await crib.sources.remove('desk');
    expect(await waiting).toMatchObject(fails('NETWORK', { retryable: false }));
  });
});

describe('docs/sources/websocket.md', () => {
  it('describes a service that works', async () => {
    const page = await readFile(
      new URL('../../../docs/sources/websocket.md', import.meta.url),
      'utf8',
    );
    const own = parse(codeBlocks(page, 'yaml').join('')) as object;
    server.first = ({ id, method, params, token }, socket) => {
      const article = (params as { article?: string } | undefined)?.article;
      const result = method === 'price' ? { price: 2.5 } : { ordered: article };
      const isOpen = token === 'open-sesame';
      socket.send(JSON.stringify(method === 'login' ? { loggedIn: isOpen } : { id, result }));
      return true;
    };
    await openCrib(own);
    expect(await call('price', { article: 'pen' })).toMatchObject({ data: { price: 2.5 } });
    expect(await call('order', { article: 'pen' })).toMatchObject({ data: { ordered: 'pen' } });
  });
});

describe('the settings of a WebSocket source', () => {
  const login = (key: string) => ({
    message: { hello: { token: { secret: key } } },
    replyField: 'welcome',
    replyValue: true,
  });

  const guard = (): void => {
    server.first = ({ hello }, socket) => {
      if (hello === undefined) return false;
      const isKnown = (hello as { token: string }).token === 'open-sesame';
      socket.send(JSON.stringify({ welcome: isKnown }));
      return true;
    };
  };

  it('send headers, protocols and a login with secrets before the first request', async () => {
    guard();
    const headers = { 'x-key': `Key \${secret:WS_TOKEN}` };
    await openCrib({ headers, protocols: ['desk.v1'], login: login('WS_TOKEN') });
    expect(await call('read', { n: 1 })).toMatchObject(succeeds(1));
    const [request] = server.upgrades;
    expect(request?.headers['x-key']).toBe('Key open-sesame');
    expect(request?.headers['sec-websocket-protocol']).toBe('desk.v1');
  });

  it('refuse calls while the login is not accepted', async () => {
    guard();
    await openCrib({ login: login('WS_BAD') });
    expect(await call('write', { n: 1 })).toMatchObject(fails('AUTH_MISSING'));
    // While the pause after a refusal lasts, the service is not asked again.
    expect(await call('write', { n: 1 })).toMatchObject(fails('AUTH_MISSING'));
    expect(server.sockets.length).toBe(1);
    expect(server.asked).toEqual([]);
  });

  it('refuse an operation whose template cannot be read, and keep the others', async () => {
    const odd = { description: 'Odd.', request: { a: { from: 'caller.user' } } };
    await openCrib({ operations: { ...OPERATIONS, odd } });
    const [status] = crib.sources.list();
    expect(status).toMatchObject({ state: 'ready', tools: 3 });
    expect(status?.refused).toEqual([{ name: 'odd', reason: expect.stringContaining('input') }]);
  });
});
