/** Sources over HTTP, judged by the file, the catalog and the trail. */
import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import { runCli } from '../../run-cli.ts';
import type { AddKind } from '../add/add-kind.ts';

vi.mock('../../../sources/openapi/openapi-driver.ts', async () => {
  const { createSmallDriver } = await import('../../../../test/fixtures/small-driver.ts');
  return { createOpenapiDriver: createSmallDriver };
});

vi.mock('../add/kinds.ts', async (importOriginal) => {
  const kind: AddKind = {
    kind: 'openapi',
    summary: 'an API',
    address: 'a document',
    examples: [],
    recognises: () => false,
    options: (command) => command,
    source: async ({ address, name = 'lamps' }) => ({
      name,
      settings: { document: address },
      secrets: [],
    }),
  };
  const original = await importOriginal<object>();
  return {
    ...original,
    ADD_KINDS: [{ kind: 'openapi', summary: 'an API', load: async () => kind }],
  };
});

let root: string;
let stop: (() => Promise<unknown>) | undefined;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-source-editor-')));
  await mkdir(join(root, 'project'));
  await offer({ list: 'read_only', watch: 'refused' });
});

afterEach(async () => {
  await stop?.();
  stop = undefined;
  await rm(root, { recursive: true, force: true });
});

const offer = (operations: Readonly<Record<string, string>>): Promise<void> =>
  writeFile(join(root, 'project', 'lamps.json'), JSON.stringify({ operations }));

const file = () => join(root, 'own', 'config.yml');
const around = () => ({
  cwd: join(root, 'project'),
  env: { HOME: root, TOOLCRIB_HOME: join(root, 'own') },
});

const serve = async (role = 'admin') => {
  const made = fakeIo(around());
  await runCli(['tokens', 'create', `my-${role}`, '--role', role], made.io);
  const signals = Object.assign(new EventEmitter(), { exit: vi.fn() });
  const { io, out } = fakeIo({ ...around(), json: true, signals: signals as never });
  const ended = runCli(['serve', '--port', '0', '--json', '--no-console'], io);
  await Promise.race([new Promise((resolve) => io.stdout.on('data', resolve)), ended]);
  const { url } = JSON.parse(out()) as { url: string };
  stop = () => {
    signals.emit('SIGTERM');
    return ended;
  };
  return async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${made.out().trim()}`,
        'content-type': 'application/json',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    type Body = { readonly items: readonly unknown[]; readonly change: unknown };
    return { status: answer.status, body: (await answer.json()) as Body };
  };
};

const LAMPS = { kind: 'openapi', address: 'lamps.json' };

describe('sources over HTTP', { timeout: 60_000 }, () => {
  it('can be looked at before they are added, which changes nothing', async () => {
    const ask = await serve();
    expect(await ask('GET', '/v1/sources/config')).toMatchObject({
      body: { editable: true, kinds: [{ kind: 'openapi' }], items: [] },
    });
    expect(await ask('POST', '/v1/sources/preview', LAMPS)).toMatchObject({
      status: 200,
      body: {
        name: 'lamps',
        kind: 'openapi',
        hosts: ['api.example.com'],
        tools: [{ name: 'list', tier: 'read_only', rule: 'allow' }],
        refused: [{ name: 'watch' }],
      },
    });
    expect(existsSync(file())).toBe(false);
  });

  it('are added at once, read again with a diff, and removed, each on record', async () => {
    const ask = await serve();
    expect(await ask('POST', '/v1/sources', LAMPS)).toMatchObject({
      status: 201,
      body: { source: 'lamps', notes: ['Store its secret: toolcrib secrets set LAMPS_KEY'] },
    });
    expect(await readFile(file(), 'utf8')).toContain('lamps: { document: lamps.json }');
    const listed = await ask('GET', '/v1/sources');
    expect(listed.body.items).toMatchObject([{ name: 'lamps', state: 'ready', tools: 1 }]);
    expect((await ask('POST', '/v1/sources', LAMPS)).status).toBe(409);
    await offer({ list: 'write', dim: 'write' });
    expect((await ask('POST', '/v1/sources/lamps/refresh')).body.change).toEqual({
      added: ['dim'],
      removed: [],
      changed: ['list'],
    });
    expect((await ask('DELETE', '/v1/sources/lamps')).status).toBe(200);
    expect((await ask('GET', '/v1/sources')).body.items).toEqual([]);
    expect(await readFile(file(), 'utf8')).not.toContain('lamps');
    const { body } = await ask('GET', '/v1/audit?limit=50');
    const text = JSON.stringify(body);
    expect([text.includes('source.added'), text.includes('source.removed')]).toEqual([true, true]);
  });

  it('answer with what is wrong: no such kind, no such source, a document that cannot be read', async () => {
    const ask = await serve();
    const kind = await ask('POST', '/v1/sources', { ...LAMPS, kind: 'soap' });
    expect([kind.status, JSON.stringify(kind.body)]).toEqual([
      400,
      expect.stringContaining('Kinds: openapi'),
    ]);
    expect((await ask('POST', '/v1/sources/none/refresh')).status).toBe(404);
    expect((await ask('DELETE', '/v1/sources/none')).status).toBe(404);
    const missing = await ask('POST', '/v1/sources', { ...LAMPS, address: 'none.json' });
    expect(missing.status).toBeGreaterThanOrEqual(400);
    expect(existsSync(file())).toBe(false);
  });

  it('threat: are changed by admins alone', async () => {
    const ask = await serve('operator');
    expect((await ask('POST', '/v1/sources', LAMPS)).status).toBe(403);
    expect((await ask('POST', '/v1/sources/preview', LAMPS)).status).toBe(403);
    expect((await ask('DELETE', '/v1/sources/lamps')).status).toBe(403);
    expect((await ask('GET', '/v1/sources')).status).toBe(200);
  });
});
