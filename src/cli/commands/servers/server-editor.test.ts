/** The servers of the configuration over HTTP, judged by the file, the vault and the trail. */
import { EventEmitter } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import { ODD_SERVER } from '../../../../test/fixtures/mcp-servers/some-servers.ts';
import type { ImportOffer } from '../../../surfaces/http/server-editor.ts';
import { runCli } from '../../run-cli.ts';

const TIME_LIMIT = 60_000;

let folder: string;
let stop: (() => Promise<unknown>) | undefined;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'server-editor-')));
  mkdirSync(join(folder, 'home'));
  mkdirSync(join(folder, 'project'));
});
afterEach(async () => {
  await stop?.();
  stop = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const file = () => join(folder, 'home', 'config.yml');
const config = () => (existsSync(file()) ? readFileSync(file(), 'utf8') : '');
const env = () => ({ HOME: folder, TOOLCRIB_HOME: join(folder, 'home') });
const around = () => ({ cwd: join(folder, 'project'), env: env() });

const token = async (role: string): Promise<string> => {
  const { io, out } = fakeIo(around());
  await runCli(['tokens', 'create', `my-${role}`, '--role', role], io);
  return out().trim();
};

const serve = async (role = 'admin') => {
  const bearer = await token(role);
  const signals = Object.assign(new EventEmitter(), { exit: vi.fn() });
  const { io, out } = fakeIo({ ...around(), json: true, signals: signals as never });
  const ended = runCli(['serve', '--port', '0', '--json', '--no-console'], io);
  await Promise.race([new Promise((resolve) => io.stdout.on('data', resolve)), ended]);
  const { url } = JSON.parse(out()) as { url: string };
  stop = () => {
    signals.emit('SIGTERM');
    return ended;
  };
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  return { ask, url };
};

/** Not installed anywhere: an added server is started at once. */
const PROGRAM = { name: 'files', command: 'toolcrib-no-such-program', args: ['some-server', '.'] };

describe('servers of the configuration over HTTP', { timeout: TIME_LIMIT }, () => {
  it('an admin adds a server, gives it a tier and removes it; the trail says who', async () => {
    const { ask } = await serve();
    expect((await ask('POST', '/v1/servers', PROGRAM)).status).toBe(201);
    expect(config()).toContain('some-server');
    const listed = await ask('GET', '/v1/servers/config');
    expect(listed.body).toEqual({
      editable: true,
      items: [
        {
          name: 'files',
          reach: 'toolcrib-no-such-program some-server .',
          isOfProject: false,
          pending: 'added',
        },
      ],
    });
    expect((await ask('PATCH', '/v1/servers/files', { tier: 'read_only' })).status).toBe(200);
    expect(config()).toContain('read_only');
    expect((await ask('DELETE', '/v1/servers/files')).status).toBe(200);
    expect(config()).not.toContain('some-server');
    const { items } = (await ask('GET', '/v1/audit?kind=event')).body as {
      items: readonly { userId: string; detail: { event: string } }[];
    };
    expect(items.map(({ userId, detail }) => [userId, detail.event])).toEqual([
      ['token:my-admin', 'server.removed'],
      ['token:my-admin', 'server.changed'],
      ['token:my-admin', 'server.added'],
    ]);
  });

  it('starts an added server at once, and ends it when it is removed', async () => {
    const { ask } = await serve();
    const odd = { name: 'odd', command: process.execPath, args: [ODD_SERVER] };
    const added = await ask('POST', '/v1/servers', odd);
    expect(added).toMatchObject({ status: 201, body: { notes: [] } });
    expect(await ask('GET', '/v1/servers')).toMatchObject({
      body: { items: [{ name: 'odd', state: 'ready' }] },
    });
    const { items } = (await ask('GET', '/v1/servers/config')).body as { items: object[] };
    expect(items.some((item) => 'pending' in item)).toBe(false);
    await ask('DELETE', '/v1/servers/odd');
    expect(await ask('GET', '/v1/servers')).toMatchObject({ body: { items: [] } });
    expect(await ask('GET', '/v1/servers/config')).toMatchObject({ body: { items: [] } });
  });

  it('says why an added server does not answer, and keeps it in the configuration', async () => {
    const { ask } = await serve();
    const { body } = await ask('POST', '/v1/servers', PROGRAM);
    expect(body.notes).toEqual([expect.stringMatching(/^files does not answer yet: /)]);
  });

  it('keeps a value that looks like a secret out of the file and of every answer', async () => {
    const { ask } = await serve();
    const env = { API_TOKEN: 'sk-canary-1234567890abcdef', LOG_LEVEL: 'debug' };
    const added = await ask('POST', '/v1/servers', { ...PROGRAM, env });
    expect(added.status).toBe(201);
    expect(config()).toContain('secret:');
    expect(config()).toContain('debug');
    const listed = await ask('GET', '/v1/servers/config');
    for (const text of [config(), JSON.stringify([added.body, listed.body])]) {
      expect(text).not.toContain('canary');
    }
  });

  it.each([
    ['neither program nor address', { name: 'a' }],
    ['both', { name: 'a', command: 'x', url: 'https://example.com/mcp' }],
    ['an address that is none', { name: 'a', url: 'javascript:alert(1)' }],
    ['arguments for an address', { name: 'a', url: 'https://example.com/mcp', args: ['x'] }],
    ['a name that leads elsewhere', { name: '../a', command: 'x' }],
    ['a name of every object', { name: '__proto__', command: 'x' }],
    ['a setting nobody offered', { name: 'a', command: 'x', cwd: '/' }],
    ['a tier that is none', { name: 'a', command: 'x', tier: 'trusted' }],
  ])('refuses %s, and changes nothing', async (_, body) => {
    const { ask } = await serve();
    const { status } = await ask('POST', '/v1/servers', body);
    expect([status, config()]).toEqual([400, '']);
  });

  it('refuses a name that is taken, and leaves the server as it is', async () => {
    writeFileSync(
      file(),
      'mcp:\n  servers:\n    files:\n      command: mine\n      enabled: false\n',
    );
    const { ask } = await serve();
    expect((await ask('POST', '/v1/servers', PROGRAM)).status).toBe(409);
    expect(config()).not.toContain('some-server');
    expect((await ask('DELETE', '/v1/servers/other')).status).toBe(404);
    expect((await ask('PATCH', '/v1/servers/other', { tier: 'write' })).status).toBe(404);
  });

  it.each(['operator', 'viewer', 'agent'])(
    'threat: a token of role %s adds a program',
    async (role) => {
      const { ask } = await serve(role);
      expect((await ask('POST', '/v1/servers', PROGRAM)).status).toBe(403);
      expect((await ask('GET', '/v1/servers/import')).status).toBe(403);
      expect(config()).toBe('');
    },
  );

  it('threat: an admin from another machine adds a program', async () => {
    writeFileSync(file(), 'server:\n  behindTls: true\n  allowedHosts: [127.0.0.1]\n');
    const before = config();
    const { ask } = await serve();
    expect((await ask('GET', '/v1/servers/config')).body).toEqual({ editable: false, items: [] });
    expect((await ask('POST', '/v1/servers', PROGRAM)).status).toBe(403);
    expect((await ask('GET', '/v1/servers/import')).status).toBe(403);
    expect(config()).toBe(before);
  });

  it('imports what was shown of another program, and nothing that changed meanwhile', async () => {
    const foreign = join(folder, '.cursor', 'mcp.json');
    mkdirSync(join(folder, '.cursor'));
    const write = (command: string) =>
      writeFileSync(foreign, JSON.stringify({ mcpServers: { notes: { command } } }));
    write('notes-server');
    const { ask } = await serve();
    const { items } = (await ask('GET', '/v1/servers/import')).body as { items: ImportOffer[] };
    expect(items).toMatchObject([{ name: 'notes', outcome: 'new', reach: 'notes-server' }]);
    const servers = items.map(({ name, digest }) => ({ name, digest }));
    write('evil-server');
    expect((await ask('POST', '/v1/servers/import', { servers })).status).toBe(409);
    expect(config()).toBe('');
    write('notes-server');
    expect((await ask('POST', '/v1/servers/import', { servers })).status).toBe(200);
    expect(config()).toContain('notes-server');
  });

  it('threat: a list that came with the project is imported', async () => {
    const planted = { mcpServers: { planted: { command: 'evil' } } };
    writeFileSync(join(folder, 'project', '.mcp.json'), JSON.stringify(planted));
    const { ask } = await serve();
    expect((await ask('GET', '/v1/servers/import')).body).toEqual({ items: [] });
  });
});
