import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { aTool } from '../../test/fixtures/test-crib.ts';
import type { CribHost } from '../contract/crib-host.ts';
import type { Tool } from '../contract/tool.ts';
import { createCribHost } from '../crib/create-crib.ts';
import { createRuntime } from '../crib/create-runtime.ts';
import { createTokenService } from '../surfaces/http/auth/token-service.ts';
import { loadConfig } from '../trust/load-config.ts';
import { openServer, type RunningServer } from './open-server.ts';

const TIME_LIMIT = 60_000;
const SOON = { timeout: 30_000, interval: 5 };

let folder: string;
const open: { crib?: CribHost; server?: RunningServer } = {};
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'open-server-')));
});
afterEach(async () => {
  await open.server?.close();
  await open.crib?.close();
  rmSync(folder, { recursive: true, force: true });
});

const start = async (
  tools: readonly Tool[],
  server: Record<string, string> = {},
  more: Record<string, string> = {},
) => {
  const settings = Object.entries(server).map(([key, value]) => [`TOOLCRIB_SERVER_${key}`, value]);
  const env = { TOOLCRIB_HOME: join(folder, 'home'), ...Object.fromEntries(settings), ...more };
  const loaded = await loadConfig({ cwd: folder, env });
  const runtime = createRuntime();
  const crib = await createCribHost({
    tools,
    builtins: false,
    store: 'memory',
    settings: loaded.config,
    root: folder,
    home: join(folder, 'home'),
  });
  open.crib = crib;
  const service = createTokenService({
    runtime,
    randomBytes: (size) => crypto.getRandomValues(new Uint8Array(size)),
    tokens: async () => (await crib.store()).tokens,
  });
  const running = await openServer({
    crib,
    loaded,
    runtime,
    version: '1.2.3',
    env,
    host: '127.0.0.1',
    port: 0,
    doctor: async () => [{ name: 'node', ok: true, detail: 'Node' }],
    describe: () => 'a question',
  });
  open.server = running;
  const bearer = async (role: 'admin' | 'agent' | 'viewer', policy = {}) =>
    (await service.create({ name: `${role}-1`, role, policy }, 'test')).token;
  const ask = (path: string, token = '', init: RequestInit = {}) =>
    fetch(`${running.url}${path}`, {
      ...init,
      headers: {
        'content-type': 'application/json',
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...init.headers,
      },
    });
  const call = (tool: string, token: string, input: unknown = {}) =>
    ask(`/v1/tools/${tool}/execute`, token, { method: 'POST', body: JSON.stringify({ input }) });
  return { crib, running, service, ask, call, bearer };
};

/** A tool that goes on until it is let go, or aborted. */
const patient = () => {
  const waiting: ((value: unknown) => void)[] = [];
  const tool = aTool({
    name: 'patient',
    run: (_, { signal }) =>
      new Promise((resolve, reject) => {
        waiting.push(resolve);
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      }),
  });
  return {
    tool,
    started: () => vi.waitFor(() => expect(waiting).toHaveLength(1), SOON),
    release: () => {
      for (const resolve of waiting) resolve('done');
    },
  };
};

describe('openServer', { timeout: TIME_LIMIT }, () => {
  it('waits for running calls when it closes, and is not ready meanwhile', async () => {
    const { tool, started, release } = patient();
    const { running, ask, call, bearer } = await start([tool]);
    const token = await bearer('agent');
    expect((await ask('/readyz')).status).toBe(200);
    const answer = call('patient', token);
    await started();
    expect(running.running()).toBe(1);
    const closed = running.close();
    const ready = await ask('/readyz');
    expect([ready.status, await ready.json()]).toEqual([
      503,
      expect.objectContaining({ ready: false }),
    ]);
    release();
    const response = await answer;
    expect([response.status, await response.json()]).toEqual([
      200,
      expect.objectContaining({ data: 'done' }),
    ]);
    expect(await closed).toBe(0);
    await expect(ask('/healthz')).rejects.toThrow();
  });

  it('cancels calls that do not end in time, and still answers them', async () => {
    const { tool, started } = patient();
    const { running, call, bearer } = await start([tool], { DRAIN_MS: '50' });
    const answer = call('patient', await bearer('agent'));
    await started();
    expect(await running.close()).toBe(1);
    const response = await answer;
    expect(await response.json()).toMatchObject({ status: 'cancelled' });
  });

  it('signs a person in by its console link, once', async () => {
    const { running, ask } = await start([aTool()]);
    const link = new URL(running.consoleLink());
    expect(link.origin).toBe(running.url);
    const code = link.hash.replace('#code=', '');
    const enter = () => ask('/v1/session', '', { method: 'POST', body: JSON.stringify({ code }) });
    expect((await enter()).status).toBe(200);
    expect((await enter()).status).toBe(401);
  });

  it('has no page of metrics where they are switched off', async () => {
    const seen: number[] = [];
    for (const metrics of ['true', 'false']) {
      const more = { TOOLCRIB_OBSERVATION_METRICS: metrics };
      const { running, ask, bearer } = await start([aTool()], {}, more);
      seen.push((await ask('/metrics', await bearer('viewer'))).status);
      await running.close();
      await open.crib?.close();
    }
    expect(seen).toEqual([200, 404]);
  });

  it('shows settings, where they come from and the rules in force', async () => {
    const { ask, bearer } = await start([aTool()]);
    const token = await bearer('admin');
    const settings = (await (await ask('/v1/settings', token)).json()) as {
      config: { path: string; value: unknown; source: string }[];
    };
    const port = settings.config.find(({ path }) => path === 'server.port');
    expect(port).toMatchObject({ value: 7420, source: 'default' });
    const policy = (await (await ask('/v1/policy', token)).json()) as { rules: { id: string }[] };
    expect(policy.rules.map(({ id }) => id)).toContain('tier-1-read');
  });

  it('verifies and exports the trail', async () => {
    const { ask, call, bearer } = await start([aTool()]);
    await call('echo', await bearer('agent'));
    const token = await bearer('admin');
    expect(await (await ask('/v1/audit/verify', token)).json()).toMatchObject({ ok: true });
    const lines = await (await ask('/v1/audit/export?format=jsonl', token)).text();
    expect(lines).toContain('"tool":"echo"');
  });

  it('removes all its listeners from the crib when it closes', async () => {
    const { running, crib } = await start([aTool()]);
    await running.close();
    const names = [
      ...(['call.started', 'call.finished', 'call.measured'] as const),
      ...(['call.traced', 'server.changed'] as const),
    ];
    expect(names.filter((name) => crib.events.has(name))).toEqual([]);
  });
});

type Started = Awaited<ReturnType<typeof start>>;

const MCP = { accept: 'application/json, text/event-stream' };

const mcpBody = (method: string, params: unknown, id?: number) => ({
  method: 'POST',
  body: JSON.stringify({ jsonrpc: '2.0', method, params, ...(id !== undefined && { id }) }),
});

/** Says hello; the headers that name the session from then on. */
const mcpHello = async ({ ask }: Started, token: string): Promise<Record<string, string>> => {
  const hello = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };
  const opened = await ask('/mcp', token, { ...mcpBody('initialize', hello, 1), headers: MCP });
  const session = opened.headers.get('mcp-session-id') ?? '';
  await opened.text();
  const headers = { ...MCP, ...(session !== '' && { 'mcp-session-id': session }) };
  await ask('/mcp', token, { ...mcpBody('notifications/initialized', {}), headers });
  return headers;
};

/** Says hello, then calls the tool; the text of the answer. */
const mcpCall = async (started: Started, token: string, name: string): Promise<string> => {
  const headers = await mcpHello(started, token);
  const params = { name, arguments: {} };
  const init = { ...mcpBody('tools/call', params, 2), headers };
  return (await started.ask('/mcp', token, init)).text();
};

describe('the MCP endpoint', { timeout: TIME_LIMIT }, () => {
  it('makes calls as the holder of the token', async () => {
    const started = await start([aTool()]);
    const { crib, bearer } = started;
    expect(await mcpCall(started, await bearer('agent'), 'echo')).toContain('"result"');
    const [row] = await crib.audit.query();
    expect(row).toMatchObject({ tool: 'echo', userId: 'token:agent-1', status: 'success' });
  });

  it('threat: a token is held to its tools and its daily budget here as well', async () => {
    const dear = aTool({ name: 'dear', cost: { model: 'usage_based', fixed: 1 } as never });
    const started = await start([dear, aTool()]);
    const { crib, bearer } = started;
    const token = await bearer('agent', { tools: ['dear'], dailyUsd: 0.5 });
    expect(await mcpCall(started, token, 'dear')).toContain('budget');
    await mcpCall(started, token, 'echo');
    const rows = await crib.audit.query({ kind: 'outcome' });
    expect(rows.map(({ tool, code }) => [tool, code])).toEqual([
      ['echo', 'PERMISSION_DENIED'],
      ['dear', 'BUDGET_EXCEEDED'],
    ]);
  });

  it('threat: a token cannot split its calls over HTTP and MCP to escape a limit', async () => {
    const limited = aTool({ name: 'limited', rateLimit: { maxPerHour: 2 } });
    const started = await start([limited]);
    const token = await started.bearer('agent');
    const overHttp = async (agentId: string): Promise<number> => {
      const init = { method: 'POST', body: JSON.stringify({ input: {}, agentId }) };
      return (await started.ask('/v1/tools/limited/execute', token, init)).status;
    };
    expect(await overHttp('one')).toBe(200);
    expect(await mcpCall(started, token, 'limited')).not.toContain('RATE_LIMITED');
    expect(await mcpCall(started, token, 'limited')).toContain('RATE_LIMITED');
    expect(await overHttp('two')).toBe(429);
  });

  it.each(['?surface=everything', '?surface=__proto__'])(
    'refuses a surface that does not exist: %s',
    async (query) => {
      const { ask, bearer } = await start([aTool()]);
      const init = { ...mcpBody('tools/list', {}, 1), headers: MCP };
      expect((await ask(`/mcp${query}`, await bearer('agent'), init)).status).toBe(400);
    },
  );

  it('threat: a viewer cannot call tools through it', async () => {
    const { ask, bearer } = await start([aTool()]);
    const init = { ...mcpBody('tools/list', {}, 1), headers: MCP };
    expect((await ask('/mcp', await bearer('viewer'), init)).status).toBe(403);
  });
});

/** A subscription of the 2026 protocol, which has no sessions. */
const subscription = (): RequestInit => {
  const version = '2026-07-28';
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { notifications: { toolsListChanged: true }, _meta: meta };
  const method = 'subscriptions/listen';
  const headers = { ...MCP, 'mcp-protocol-version': version, 'mcp-method': method };
  return { ...mcpBody(method, params, 1), headers };
};

/** Milliseconds from the revocation of the only token, by somebody else, to the end of the stream. */
const endsAfter = async ({ service }: Started, stream: Response): Promise<number> => {
  expect([stream.status, stream.headers.get('content-type')]).toEqual([
    200,
    expect.stringContaining('text/event-stream'),
  ]);
  const [record] = await service.list();
  await service.revoke(record?.id ?? '');
  const since = performance.now();
  await stream.text();
  return performance.now() - since;
};

/** A second is promised; the machine may be busy. What would end it without us takes 15 seconds. */
const SOON_OVER_MS = 8000;

describe('threat: a revoked token keeps a stream of the server', { timeout: TIME_LIMIT }, () => {
  it('the stream of a token ends when the token is revoked', async () => {
    const started = await start([aTool()]);
    const stream = await started.ask('/v1/events', await started.bearer('viewer'));
    expect(await endsAfter(started, stream)).toBeLessThan(SOON_OVER_MS);
  });

  it('the MCP stream of a token ends when the token is revoked', async () => {
    const started = await start([aTool()]);
    const token = await started.bearer('agent');
    const stream = await started.ask('/mcp', token, { headers: await mcpHello(started, token) });
    expect(await endsAfter(started, stream)).toBeLessThan(SOON_OVER_MS);
  });

  it('the MCP subscription of a token ends when the token is revoked', async () => {
    const started = await start([aTool()]);
    const stream = await started.ask('/mcp', await started.bearer('agent'), subscription());
    expect(await endsAfter(started, stream)).toBeLessThan(SOON_OVER_MS);
  });
});

describe('closing while a call of an MCP client runs', () => {
  const RPC = { jsonrpc: '2.0' };
  const initialize = {
    ...RPC,
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'client', version: '1' },
    },
  };

  it.each([
    ['plain', {}],
    ['streamed', { _meta: { progressToken: 1 } }],
  ])('sends its reply first (%s)', { timeout: TIME_LIMIT }, async (_, more) => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const run = async () => {
      await held;
      return 'the reply';
    };
    const { ask, bearer } = await start([aTool({ name: 'slow', run: run as never })]);
    const token = await bearer('agent');
    const headers = { accept: 'application/json, text/event-stream' };
    const post = (body: object, session = {}) =>
      ask('/mcp', token, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { ...headers, ...session },
      });
    const opened = await post(initialize);
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    await opened.text();
    const params = { name: 'slow', arguments: {}, ...more };
    const reply = post({ ...RPC, id: 2, method: 'tools/call', params }, session);
    const text = reply.then((response) => response.text());
    await vi.waitFor(() => expect(open.server?.running()).toBe(1), SOON);
    const closing = open.server?.close();
    release();
    expect(await text).toContain('the reply');
    await closing;
  });
});
