import { afterEach, describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import {
  type SessionServer,
  sessionHttpServer,
} from '../../../test/fixtures/mcp-servers/session-http-server.ts';
import {
  type SomeServers,
  someServers,
  someSettings,
} from '../../../test/fixtures/mcp-servers/some-servers.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { McpDeps, ServerSettings } from './server-settings.ts';

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const open = async (
  transport: 'http' | 'sse',
  { status, ...settings }: Partial<ServerSettings> & { readonly status?: number } = {},
  deps: Partial<McpDeps> = {},
): Promise<{ readonly server: SessionServer; readonly servers: SomeServers }> => {
  const server = await sessionHttpServer(transport, status);
  ends.push(() => server.close());
  const where = { transport, url: server.url, command: '', args: [], tier: 'write' } as const;
  const servers = await someServers([someSettings({ ...where, ...settings })], deps);
  ends.push(() => servers.end());
  return { server, servers };
};

const run = async (
  { sources }: SomeServers,
  name = 'count',
  signal = AbortSignal.timeout(15_000),
): Promise<unknown> => {
  const tool = (await sources[0]?.load())?.find((one) => one.name === name);
  const context = { signal, progress: () => undefined };
  return tool?.run({}, context as unknown as ToolContext);
};

const view = ({ servers }: SomeServers) => servers.list()[0];

describe('a server over HTTP that has forgotten the session', () => {
  it.each([404, 400])(
    'and refuses a call with %i for it gets a new session and the call once more, which it runs once',
    async (status) => {
      const { server, servers } = await open('http', { status });
      expect(await run(servers)).toBe('1');
      server.forget();
      expect(await run(servers)).toBe('2');
      expect(server.seen).toMatchObject({ sessions: 2, calls: 2 });
      expect(view(servers)).toMatchObject({ state: 'ready', restarts: 0 });
    },
  );

  it('gets one new session for all calls that it refuses', async () => {
    const { server, servers } = await open('http');
    await run(servers);
    server.forget();
    const answers = await Promise.all(Array.from({ length: 20 }, () => run(servers)));
    expect(new Set(answers).size).toBe(20);
    expect(server.seen).toMatchObject({ sessions: 2, calls: 21 });
  });

  it('lets a call end whose answer is still to come on the old connection', async () => {
    const { server, servers } = await open('http');
    await run(servers);
    const late = run(servers, 'late');
    await expect.poll(() => server.seen.late).toBe(1);
    server.forget();
    expect(await run(servers)).toBe('2');
    server.answerLate();
    expect(await late).toBe('late');
  });

  it('gets a new session by the look after it, without counting as failed', async () => {
    const { server, servers } = await open('http', { healthCheckIntervalMs: 50, maxRestarts: 0 });
    await run(servers);
    server.forget();
    await expect.poll(() => server.seen.sessions).toBe(2);
    await expect.poll(() => view(servers)?.state).toBe('ready');
    expect(view(servers)?.lastError).toBeUndefined();
  });

  it('of the older event stream, fails the call that was under way and gets a new session', async () => {
    const { server, servers } = await open('sse');
    expect(await run(servers)).toBe('1');
    const hanging = run(servers, 'hang');
    await Promise.all([
      expect(hanging).rejects.toMatchObject({ code: 'SERVER_ERROR', extras: { retryable: false } }),
      run(servers).then(() => server.forget()),
    ]);
    expect(await run(servers)).toBe('3');
    expect(server.seen.sessions).toBe(2);
  });
});

describe('a server over HTTP that knows the session', () => {
  it.each([
    ['is cut off', 'cut'],
    ['ends without an answer', 'end'],
  ])('fails a call whose stream %s, at once and not to be sent again', async (_, name) => {
    const { server, servers } = await open('http');
    await run(servers);
    await expect(run(servers, name)).rejects.toMatchObject({
      code: 'SERVER_ERROR',
      message: 'The MCP server odd failed: its answer broke off',
      extras: { retryable: false },
    });
    expect(await run(servers)).toBe('2');
    expect(server.seen.sessions).toBe(1);
  });

  it('keeps it when it refuses one request with 400, and only that request fails', async () => {
    const { server, servers } = await open('http');
    await run(servers);
    await expect(run(servers, 'refused')).rejects.toMatchObject({ code: 'SERVER_ERROR' });
    expect(await run(servers)).toBe('2');
    expect(server.seen.sessions).toBe(1);
  });
});

describe('threat: a call that took effect is sent again, because its server has forgotten the session', () => {
  it.each([
    ['an error whose data holds the status 404', 'late_error', 404],
    ['HTTP 400', 'late_refused', 400],
  ])(
    'a call that is answered with %s after its session was replaced is not sent again',
    async (_, name, status) => {
      const { server, servers } = await open('http', { status });
      await run(servers);
      const late = run(servers, name);
      const failure = expect(late).rejects.toMatchObject({ code: 'SERVER_ERROR' });
      await expect.poll(() => server.seen.late).toBe(1);
      server.forget();
      expect(await run(servers)).toBe('3');
      server.answerLate();
      await failure;
      expect(server.seen).toMatchObject({ sessions: 2, calls: 3, late: 1 });
    },
  );

  it('a call that is answered with such an error is not sent again when the session is gone then', async () => {
    const { server, servers } = await open('http');
    await run(servers);
    const late = run(servers, 'late_error');
    const failure = expect(late).rejects.toMatchObject({ code: 'SERVER_ERROR' });
    await expect.poll(() => server.seen.late).toBe(1);
    server.forget();
    server.answerLate();
    await failure;
    expect(server.seen).toMatchObject({ calls: 2, late: 1 });
  });
});

describe('a server over HTTP that refuses a call and does not answer the ping after it', () => {
  const refusedCall = async (signal?: AbortSignal) => {
    const { server, servers } = await open('http');
    await run(servers);
    server.treat('ping', 'held');
    const failed = run(servers, 'refused', signal).catch((error: unknown) => error);
    await expect.poll(() => server.seen.late).toBe(1);
    return { server, servers, failed };
  };

  it('gets no new session once the call is aborted, which fails by what it was refused with', async () => {
    const ended = new AbortController();
    const { server, failed } = await refusedCall(ended.signal);
    server.treat('ping');
    ended.abort();
    server.forget();
    server.answerLate();
    expect(await failed).toMatchObject({ message: expect.stringContaining('Error POSTing') });
    expect(server.seen.sessions).toBe(1);
  });

  it('and is closed meanwhile fails the call by what it was refused with', async () => {
    const { servers, failed } = await refusedCall();
    await servers.close();
    expect(await failed).toMatchObject({ message: expect.stringContaining('Error POSTing') });
  });
});

describe('a server over HTTP that refuses every ping as of an unknown session', () => {
  it.each([404, 400])('with %i has failed, and is given up after its restarts', async (status) => {
    const { server, servers } = await open('http', { healthCheckIntervalMs: 50, maxRestarts: 0 });
    await run(servers);
    server.treat('ping', status);
    await expect.poll(() => view(servers)?.state).toBe('open');
    expect(view(servers)?.lastError).toBe('it has forgotten its session again');
    expect(server.seen.sessions).toBe(2);
  });

  it('gets a call that it refuses a second time only with the one new session', async () => {
    const { server, servers } = await open('http');
    await run(servers);
    server.treat('ping', 400);
    const refused = async () => expect(run(servers, 'bad')).rejects.toThrow('Error POSTing');
    await refused();
    expect(server.seen).toMatchObject({ sessions: 2, calls: 3 });
    await refused();
    expect(server.seen).toMatchObject({ sessions: 2, calls: 4 });
  });
});

describe('a server over HTTP that forgets the session while its tools are listed', () => {
  it('is started again once that listing has failed, and the call that was refused gets its answer', async () => {
    const { server, servers } = await open('http');
    await run(servers);
    server.treat('tools/list', 'held');
    const restarted = servers.servers.restart('odd');
    await expect.poll(() => server.seen.late).toBe(1);
    server.treat('tools/list');
    server.forget();
    expect(await run(servers)).toBe('2');
    server.answerLate();
    expect(await restarted).toMatchObject({ state: 'ready' });
    expect(server.seen.sessions).toBe(3);
  });

  it('again is started once that listing has failed, also when that takes longer than the pause', async () => {
    const runtime = fakeRuntime();
    const { server, servers } = await open('http', {}, { runtime });
    await run(servers);
    server.forget();
    server.treat('tools/list', 'held');
    const waiting = expect(run(servers)).rejects.toThrow('Error POSTing');
    await expect.poll(() => server.seen.late).toBe(1);
    // Keeps the connection open, and with it the listing.
    const late = run(servers, 'late');
    await expect.poll(() => server.seen.late).toBe(2);
    server.forget();
    await expect(run(servers)).rejects.toThrow('Error POSTing');
    await runtime.advance(1000);
    server.treat('tools/list');
    server.answerLate();
    expect(await late).toBe('late');
    await waiting;
    await expect.poll(() => view(servers)?.state).toBe('ready');
    expect(server.seen.sessions).toBe(3);
  });
});
