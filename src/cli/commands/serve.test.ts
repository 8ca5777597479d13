import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeIo } from '../../../test/fixtures/fake-io.ts';
import { runCli } from '../run-cli.ts';

const TIME_LIMIT = 60_000;
const waitFor = { timeout: 30_000, interval: 10 };

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'cli-serve-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const configure = (text: string): void => {
  mkdirSync(join(folder, 'home'), { recursive: true });
  writeFileSync(join(folder, 'home', 'config.yml'), text);
};

const env = () => ({ HOME: folder, TOOLCRIB_HOME: join(folder, 'home') });

const token = async (...args: readonly string[]): Promise<string> => {
  const { io, out } = fakeIo({ cwd: folder, env: env() });
  await runCli(['tokens', 'create', ...args], io);
  return out().trim();
};

const start = async (...args: readonly string[]) => {
  const signals = Object.assign(new EventEmitter(), { exit: vi.fn() });
  const { io, out, err } = fakeIo({
    cwd: folder,
    env: env(),
    json: true,
    signals: signals as never,
  });
  const ended = runCli(['serve', '--port', '0', '--json', ...args], io);
  const running = new Promise<void>((resolve) => io.stdout.on('data', () => resolve()));
  await Promise.race([running, ended]);
  const said = out() === '' ? {} : (JSON.parse(out()) as { url?: string; console?: string });
  const { url = '' } = said;
  const ask = (path: string, init?: RequestInit) => fetch(`${url}${path}`, init);
  const as = (bearer: string) => ({ authorization: `Bearer ${bearer}` });
  return { url, said, signals, ended, err, ask, as };
};

const JSON_TYPE = { 'content-type': 'application/json' };
const body = (input: unknown) => JSON.stringify({ input });

describe('toolcrib serve', { timeout: TIME_LIMIT }, () => {
  it('serves calls, metrics, traces and MCP to a token, and ends on a signal', async () => {
    const agent = await token('bot', '--role', 'agent');
    const viewer = await token('screen', '--role', 'viewer');
    const { ask, as, signals, ended } = await start('--no-console');
    expect((await ask('/readyz')).status).toBe(200);
    // Calls are timed while somebody watches.
    const watching = await ask('/v1/events', { headers: as(viewer) });
    const called = await ask('/v1/tools/calculator/execute', {
      method: 'POST',
      headers: { ...as(agent), ...JSON_TYPE },
      body: body({ expression: '6*7' }),
    });
    const result = (await called.json()) as { success: boolean; metadata: { executionId: string } };
    expect([called.status, result.success]).toEqual([200, true]);
    const metrics = await (await ask('/metrics', { headers: as(viewer) })).text();
    expect(metrics).toContain('toolcrib_calls_total{tool="calculator",status="success"} 1');
    const { executionId } = result.metadata;
    const seen = await ask(`/v1/executions/${executionId}`, { headers: as(viewer) });
    const { trace } = (await seen.json()) as { trace: { stage: string }[] };
    expect(trace.map(({ stage }) => stage)).toContain('authorize');
    const mcp = await ask('/mcp', {
      method: 'POST',
      headers: { ...as(agent), ...JSON_TYPE, accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'test', version: '1' },
        },
      }),
    });
    expect([mcp.status, await mcp.text()]).toEqual([200, expect.stringContaining('serverInfo')]);
    await watching.body?.cancel();
    signals.emit('SIGTERM');
    expect(await ended).toBe(0);
    await expect(ask('/healthz')).rejects.toThrow();
  });

  it('streams events, and ends the stream when the server ends', async () => {
    const viewer = await token('screen', '--role', 'viewer');
    const agent = await token('bot');
    const { ask, as, signals, ended } = await start('--no-console');
    const stream = await ask('/v1/events?types=call.finished', { headers: as(viewer) });
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    const until = async (wanted: string) => {
      while (!text.includes(wanted)) {
        const { done, value } = await reader.read();
        if (done) return;
        text += new TextDecoder().decode(value);
      }
    };
    await until('retry:');
    await ask('/v1/tools/calculator/execute', {
      method: 'POST',
      headers: { ...as(agent), ...JSON_TYPE },
      body: body({ expression: '1+1' }),
    });
    await until('call.finished');
    expect(text).toContain('"userId":"token:bot"');
    signals.emit('SIGINT');
    await until('never said');
    expect(await ended).toBe(0);
  });

  it('exits at once on a second signal', async () => {
    const { signals, ended } = await start('--no-console');
    signals.emit('SIGINT');
    signals.emit('SIGINT');
    expect(signals.exit).toHaveBeenCalled();
    await ended;
  });

  it('gives a new console link on a signal', async () => {
    const { signals, ended, err } = await start('--no-console');
    signals.emit('SIGUSR2');
    await vi.waitFor(() => expect(err()).toMatch(/\/#code=[\w-]{20,}/), waitFor);
    signals.emit('SIGTERM');
    await ended;
  });
});

describe('threats to toolcrib serve', { timeout: TIME_LIMIT }, () => {
  it.each(['0.0.0.0', '::', '192.168.1.5'])(
    'refuses %s, which others can reach, without hosts and TLS',
    async (host) => {
      const { ended, said, err } = await start('--host', host);
      expect(await ended).not.toBe(0);
      expect(said).toMatchObject({ success: false, error: { code: 'CONFIG_INVALID' } });
      expect(err()).not.toContain('code=');
    },
  );

  it.each([
    ['hosts alone', 'server:\n  allowedHosts: [ops.example.com]\n'],
    ['a word about TLS alone', 'server:\n  behindTls: true\n'],
  ])('%s is not enough', async (_, text) => {
    configure(text);
    const { ended, said } = await start('--host', '0.0.0.0');
    expect(await ended).not.toBe(0);
    expect(said).toMatchObject({ error: { code: 'CONFIG_INVALID' } });
  });

  it('listens beyond this machine when both settings allow it', async () => {
    configure('server:\n  allowedHosts: [ops.example.com]\n  behindTls: true\n');
    const { ended, said, signals } = await start('--host', '0.0.0.0', '--no-console');
    expect(said.url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/);
    signals.emit('SIGTERM');
    expect(await ended).toBe(0);
  });

  it('refuses requests without a token, also from this machine', async () => {
    const { ask, signals, ended } = await start('--no-console');
    for (const path of ['/v1/tools', '/v1/events', '/metrics', '/mcp', '/v1/settings']) {
      expect([path, (await ask(path)).status]).toEqual([path, 401]);
    }
    signals.emit('SIGTERM');
    await ended;
  });

  it('explains that the port is taken', async () => {
    const { url, signals, ended } = await start('--no-console');
    const { port } = new URL(url);
    const second = fakeIo({ cwd: folder, env: env() });
    expect(await runCli(['serve', '--port', port], second.io)).not.toBe(0);
    expect(second.err()).toMatch(/CONFLICT: The port is in use/);
    signals.emit('SIGTERM');
    await ended;
  });
});
