/** What a server that is confined must not do to this machine, judged by canaries outside. */
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectGone, withMark } from '../../../test/fixtures/mcp-servers/processes.ts';
import {
  type SomeServers,
  someServers,
  someSettings,
} from '../../../test/fixtures/mcp-servers/some-servers.ts';
import { isMissing } from '../../../test/fixtures/needed-programs.ts';
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { openConfiner } from '../../crib/open-sandboxes.ts';
import { processUsage } from '../../sandboxes/process/process-usage.ts';
import type { McpDeps, ServerSandbox, ServerSettings } from './server-settings.ts';

/** Bubblewrap is not installed; in CI that is a failure. */
const missing = isMissing('bwrap');

const LONG = 60_000;
const SERVER = join(import.meta.dirname, '../../../test/fixtures/mcp-servers/prying-server.mjs');
const SECRET = 'canary-that-nobody-may-see';

let folder = '';
let inside = '';
let outside = '';
let confine: NonNullable<McpDeps['confine']>;
const opened: SomeServers[] = [];

const visited: string[] = [];
const web = createServer((request, response) => {
  visited.push(`${request.headers.host}${request.url}`);
  response.end('welcome');
});
let port = 0;

beforeAll(async () => {
  web.listen(0, '127.0.0.1');
  await once(web, 'listening');
  ({ port } = web.address() as AddressInfo);
  if (missing) return;
  confine = await openConfiner(createRuntime(), {
    egress: { allowPrivate: ['localhost', '127.0.0.1'] },
    sandbox: { container: { image: 'none' }, vm: { image: 'none' } },
    env: {},
  });
});
afterAll(() => new Promise((done) => web.close(done)));

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-confined-')));
  chmodSync(folder, 0o755);
  inside = join(folder, 'inside');
  outside = join(folder, 'outside');
  await mkdir(inside);
  await mkdir(outside);
  await writeFile(join(outside, 'secret.txt'), SECRET);
  await writeFile(join(inside, 'note.txt'), 'a note');
  visited.length = 0;
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.end()));
  await rm(folder, { recursive: true, force: true });
});

const sandboxOf = (parts: Partial<ServerSandbox> = {}): ServerSandbox => ({
  read: [SERVER, ...(parts.read ?? [])],
  write: parts.write ?? [],
  hosts: parts.hosts ?? [],
  isCwdChosen: parts.isCwdChosen ?? false,
  ...(parts.memoryMb !== undefined && { memoryMb: parts.memoryMb }),
  ...(parts.processes !== undefined && { processes: parts.processes }),
});

const open = async (
  settings: Partial<ServerSettings>,
  deps: Partial<McpDeps> = { confine },
): Promise<SomeServers> => {
  const servers = await someServers([someSettings({ args: [SERVER], ...settings })], deps);
  opened.push(servers);
  return servers;
};

const call = async ({ sources }: SomeServers, name: string, input = {}): Promise<string> => {
  const tool = (await sources[0]?.load())?.find((one) => one.name === name);
  const { signal } = new AbortController();
  const context: Partial<ToolContext> = { signal, progress: () => undefined };
  const data = await tool?.run(input, context as ToolContext);
  return typeof data === 'string' ? data : JSON.stringify(data);
};

/** What the server tells, whether it could or not. */
const tried = async (servers: SomeServers, name: string, input = {}): Promise<string> =>
  call(servers, name, input).catch((error: unknown) =>
    error instanceof ToolFailure ? `${error.code} ${error.message}` : String(error),
  );

const FREE = { sandbox: undefined } as unknown as Partial<ServerSettings>;

describe.skipIf(missing)('threat: a server that reaches for files', { timeout: LONG }, () => {
  it('reads nothing outside what it was shown; unconfined it does', async () => {
    const confined = await open({ sandbox: sandboxOf({ read: [inside] }) });
    const secret = { path: join(outside, 'secret.txt') };
    expect(await call(confined, 'read', { path: join(inside, 'note.txt') })).toBe('a note');
    expect(await tried(confined, 'read', secret)).not.toContain(SECRET);
    expect(await tried(confined, 'read', { path: `/proc/${process.pid}/environ` })).toContain(
      'ENOENT',
    );
    expect(await call(await open(FREE), 'read', secret)).toBe(SECRET);
  });

  it('writes where it may, and nowhere else; unconfined it does', async () => {
    const confined = await open({ sandbox: sandboxOf({ read: [inside] }) });
    const drop = join(outside, 'dropped');
    await tried(confined, 'write', { path: drop });
    expect(await tried(confined, 'write', { path: join(inside, 'mine') })).toMatch(/EROFS|EACCES/);
    expect([existsSync(drop), readdirSync(inside)]).toEqual([false, ['note.txt']]);
    const writer = await open({ sandbox: sandboxOf({ write: [inside] }) });
    await call(writer, 'write', { path: join(inside, 'mine') });
    expect(readFileSync(join(inside, 'mine'), 'utf8')).toBe('was here');
    await call(await open(FREE), 'write', { path: drop });
    expect(existsSync(drop)).toBe(true);
  });

  it('what it plants for other programs to trust is out of effect when it has ended', async () => {
    const servers = await open({ sandbox: sandboxOf({ write: [inside] }) });
    await call(servers, 'write', { path: join(inside, '.mcp.json') });
    await servers.close();
    const names = readdirSync(inside);
    expect(names).not.toContain('.mcp.json');
    expect(names).toContainEqual(expect.stringMatching(/^refused-.*mcp\.json$/));
  });

  it('sees neither our environment nor our processes', async () => {
    const environment = { ...process.env, MY_TOKEN: SECRET };
    const sandbox = sandboxOf();
    const servers = await open({ sandbox, env: { GIVEN: 'yes' } }, { confine, environment });
    const seen = await call(servers, 'environment');
    expect(JSON.parse(seen)).toMatchObject({ GIVEN: 'yes', HOME: '/home/sandbox' });
    expect(seen).not.toContain(SECRET);
    const helpers = await call(servers, 'read', { path: '/proc/1/environ' });
    expect(helpers).not.toContain('GIVEN');
    expect(await tried(servers, 'signal', { pid: process.pid })).toMatch(/ESRCH/);
  });
});

describe.skipIf(missing)('threat: a server that calls elsewhere', { timeout: LONG }, () => {
  it('reaches nobody without hosts; unconfined it does', async () => {
    const confined = await open({ sandbox: sandboxOf() });
    expect(await tried(confined, 'connect', { port })).toContain('ECONNREFUSED');
    expect(await tried(confined, 'fetch', { host: `127.0.0.1:${port}`, path: '/a' })).toMatch(/./);
    expect(visited).toEqual([]);
    await call(await open(FREE), 'fetch', { host: `127.0.0.1:${port}`, path: '/b' });
    expect(visited).toEqual([`127.0.0.1:${port}/b`]);
  });

  it('reaches the host it was given, and what is refused stands in its log', async () => {
    const confined = await open({ sandbox: sandboxOf({ hosts: [`localhost:${port}`] }) });
    expect(await call(confined, 'fetch', { host: `localhost:${port}`, path: '/ok' })).toBe(
      '200 welcome',
    );
    expect(await tried(confined, 'connect', { port })).toContain('ECONNREFUSED');
    const other = { host: `127.0.0.1:${port}`, path: '/no' };
    expect(await call(confined, 'fetch', other)).toMatch(/^403/);
    expect(visited).toEqual([`localhost:${port}/ok`]);
    await expect
      .poll(() => confined.servers.logs('odd').join('\n'), { timeout: 30_000 })
      .toMatch(/127\.0\.0\.1:\d+ refused/);
  });
});

describe.skipIf(missing)('threat: a server that takes all there is', { timeout: LONG }, () => {
  it('is ended when it takes more memory than it may, and the call says so', async () => {
    const servers = await open({ sandbox: sandboxOf({ memoryMb: 200 }) });
    await call(servers, 'allocate', { megabytes: 32 });
    const first = servers.servers.list()[0]?.pid ?? 0;
    await expect(call(servers, 'allocate', { megabytes: 4000 })).rejects.toMatchObject({
      code: 'SANDBOX_ERROR',
      message: expect.stringContaining('memory'),
    });
    await expectGone([first]);
    expect(servers.servers.list()[0]?.lastError).toContain('memory');
  });

  it('is ended with all it started when these are too many', async () => {
    const servers = await open({ sandbox: sandboxOf({ processes: 20 }) });
    await call(servers, 'folder');
    const first = servers.servers.list()[0]?.pid ?? 0;
    await expect(call(servers, 'fork', { count: 60 })).rejects.toMatchObject({
      code: 'SANDBOX_ERROR',
      message: expect.stringContaining('processes'),
    });
    await expectGone([first]);
    expect(processUsage(first, 100).memoryBytes).toBe(0);
  });

  it('leaves nothing behind, not even what it sent away', async () => {
    const mark = `CONFINED_RUN=${folder}`;
    const servers = await open({ sandbox: sandboxOf(), env: { CONFINED_RUN: folder } });
    expect(await call(servers, 'detach')).toBe('detached');
    const all = await withMark(mark);
    expect(all.length).toBeGreaterThanOrEqual(2);
    await servers.close();
    await expectGone(all);
  });
});

describe.skipIf(missing)('threat: a level that cannot be given', { timeout: LONG }, () => {
  it('is never given up silently', async () => {
    const none = await open({ sandbox: sandboxOf() }, {});
    expect(await tried(none, 'folder')).toContain('SANDBOX_ERROR');
    expect(none.servers.list()[0]?.pid).toBeUndefined();
    const gone = await open({ sandbox: sandboxOf({ read: [join(folder, 'gone')] }) });
    expect(await tried(gone, 'folder')).toContain('is not there');
    const cwd = await open({ cwd: '/var', sandbox: sandboxOf({ isCwdChosen: true }) });
    expect(await tried(cwd, 'folder')).toContain('working folder');
  });
});

const packageOf = (name: string): string =>
  dirname(createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/package.json`));
const modules = dirname(dirname(packageOf('server-memory')));

describe.skipIf(missing)('benign: servers of others in their folder', { timeout: LONG }, () => {
  const start = (name: string, args: readonly string[], env = {}): Promise<SomeServers> =>
    open({
      args: [join(packageOf(name), 'dist/index.js'), ...args],
      cwd: inside,
      env,
      sandbox: { read: [modules], write: [inside], hosts: [], isCwdChosen: true },
    });

  it('server-filesystem', async () => {
    const servers = await start('server-filesystem', [inside]);
    expect(await call(servers, 'read_text_file', { path: join(inside, 'note.txt') })).toContain(
      'a note',
    );
    await call(servers, 'write_file', { path: join(inside, 'new.txt'), content: 'new' });
    expect(readFileSync(join(inside, 'new.txt'), 'utf8')).toBe('new');
  });

  it('server-memory', async () => {
    const file = join(inside, 'memory.jsonl');
    const servers = await start('server-memory', [], { MEMORY_FILE_PATH: file });
    const entities = [{ name: 'crib', entityType: 'tool', observations: ['is governed'] }];
    await call(servers, 'create_entities', { entities });
    expect(readFileSync(file, 'utf8')).toContain('is governed');
  });
});
