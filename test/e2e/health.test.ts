/**
 * Health of the built program: `/readyz`, `doctor` and `toolcrib health` tell the same of broken set-ups, and
 * two servers on one store announce a change once.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { HealthCheckResult, HealthHistory, HealthStatus } from '../../src/contract/health.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type Ends, startServer } from './alert-receiver.ts';
import { createProject, type Project } from './run-toolcrib.ts';

const MCP_SERVER = join(import.meta.dirname, '../fixtures/changing-server.mjs');
const TIME_LIMIT = 180_000;

const ends: Ends = [];
beforeAll(() => {
  createProject();
}, TIME_LIMIT);
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const configure = (project: Project, config: object): void => {
  const folder = join(project.home, '.config', 'toolcrib');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.yml'), JSON.stringify(config), { mode: 0o600 });
};

const adminOf = async (project: Project) => {
  const token = (await project.run(['tokens', 'create', 'ci', '--role', 'admin'])).out.trim();
  return async <T>(url: string, path: string, method = 'GET'): Promise<T> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = method === 'POST' ? { body: '{}' } : {};
    const response = await fetch(`${url}${path}`, { method, headers, ...body });
    return (await response.json()) as T;
  };
};

interface Doctor {
  readonly ready: boolean;
  readonly checks: readonly { readonly name: string; readonly state: string; message: string }[];
}

/** What the server's probe and the command say of the same set-up. */
const bothSay = async (project: Project) => {
  const { url } = await startServer(project, ends);
  const probe = await fetch(`${url}/readyz`);
  const { ready, checks } = (await project.run(['doctor', '--json'])).json<Doctor>();
  return { url, isProbeReady: probe.status === 200, isDoctorReady: ready, checks };
};

describe('/readyz and doctor, built', { timeout: TIME_LIMIT }, () => {
  it('agree that a server without a store it can open is not ready', async () => {
    const project = createProject();
    mkdirSync(join(project.folder, '.toolcrib/state.db'), { recursive: true });
    const { isProbeReady, isDoctorReady, checks } = await bothSay(project);
    expect([isProbeReady, isDoctorReady]).toEqual([false, false]);
    expect(checks).toContainEqual(expect.objectContaining({ name: 'store', state: 'broken' }));
  });

  it.skipIf(process.getuid?.() === 0)('agree that a read-only store is not ready', async () => {
    const project = createProject();
    await project.run(['run', 'calculator', 'expression=1+1']);
    for (const name of ['state.db', '']) chmodSync(join(project.folder, '.toolcrib', name), 0o555);
    const { isProbeReady, isDoctorReady } = await bothSay(project);
    chmodSync(join(project.folder, '.toolcrib'), 0o755);
    expect([isProbeReady, isDoctorReady]).toEqual([false, false]);
  });

  it('agree that a model without its key leaves the server ready', async () => {
    const project = createProject();
    const model = { provider: 'anthropic', model: 'any', apiKeyRef: 'KEY_OF_NOBODY' };
    configure(project, { model });
    const { url, isProbeReady, isDoctorReady, checks } = await bothSay(project);
    expect([isProbeReady, isDoctorReady]).toEqual([true, true]);
    const found = checks.find(({ name }) => name === 'model');
    expect(found?.state).toBe('warning');
    const ask = await adminOf(project);
    const checked = await ask<HealthCheckResult>(url, '/v1/health/model/check', 'POST');
    expect(checked.checks.map(({ message }) => message)).toEqual([found?.message]);
    const shown = await project.run(['health', 'show', 'model']);
    expect(shown.out).toContain(found?.message);
  });

  it('agree that a machine without the container sandbox is ready, and name what is missing', async () => {
    const project = createProject();
    const container = { socket: join(project.home, 'no-engine.sock') };
    configure(project, { sandbox: { container } });
    const { url, isProbeReady, isDoctorReady, checks } = await bothSay(project);
    expect([isProbeReady, isDoctorReady]).toEqual([true, true]);
    const found = checks.find(({ message }) => message.startsWith('No container sandbox'));
    expect(found?.state).toBe('warning');
    const ask = await adminOf(project);
    const { checks: all } = await ask<HealthStatus>(url, '/v1/health/check', 'POST');
    const sandbox = all.find(({ subject }) => subject === 'sandbox:container');
    expect(sandbox?.checks.map(({ message }) => message)).toEqual([found?.message]);
  });
});

/** Collects the events of a server as text. */
const listen = async (url: string, token: string) => {
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await fetch(`${url}/v1/events`, { headers });
  const heard = { text: '' };
  const reading = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of body ?? []) heard.text += decoder.decode(chunk);
  };
  void reading().catch(() => undefined);
  await eventually(() => expect(heard.text).toContain('retry:'));
  return heard;
};

describe('a change of health with two servers on one store', { timeout: TIME_LIMIT }, () => {
  it('is kept and announced once, whichever of them notices it', async () => {
    const project = createProject();
    const file = join(project.home, 'tools.json');
    writeFileSync(file, '{}');
    const demo = { command: process.execPath, args: [MCP_SERVER, file], tier: 'read_only' };
    configure(project, { mcp: { servers: { demo } } });
    const token = (await project.run(['tokens', 'create', 'ears', '--role', 'admin'])).out.trim();
    const ask = await adminOf(project);
    const servers = await Promise.all([startServer(project, ends), startServer(project, ends)]);
    const heard = await Promise.all(servers.map(({ url }) => listen(url, token)));
    const checkAll = () =>
      Promise.all(
        servers.flatMap(({ url }) =>
          Array.from({ length: 3 }, () =>
            ask(url, `/v1/health/${encodeURIComponent('sandbox:wasm')}/check`, 'POST'),
          ),
        ),
      );
    await checkAll();
    // The first result of something that works is kept and no news; the store has no second one.
    const [{ url }] = servers;
    const path = `/v1/health/${encodeURIComponent('sandbox:wasm')}/history`;
    const before = await ask<HealthHistory>(url, path);
    expect(before.changes.map(({ state }) => state)).toEqual(['well']);

    const serverPath = `/v1/health/${encodeURIComponent('server:demo')}`;
    await ask(url, `${serverPath}/check`, 'POST');
    writeFileSync(file, 'no JSON');
    for (const each of servers) await ask(each.url, '/v1/servers/demo/restart', 'POST');
    await Promise.all(servers.map((each) => ask(each.url, `${serverPath}/check`, 'POST')));
    const { changes } = await ask<HealthHistory>(url, `${serverPath}/history`);
    expect(changes.map(({ state }) => state)).toEqual(['unwell', 'well']);
    const announced = () =>
      heard.map(({ text }) => text.match(/event: health\.changed/g)?.length ?? 0);
    await eventually(() => expect(Math.max(...announced())).toBeGreaterThan(0));
    expect(announced().reduce((sum, count) => sum + count, 0)).toBe(1);
  });
});
