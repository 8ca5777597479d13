import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { Crib } from '../../src/contract/crib.ts';
import { createCrib } from '../../src/crib/create-crib.ts';
import { openPostgres, postgresFolder } from '../fixtures/vendors/postgres-server.ts';

const LONG = 120_000;
const FIXTURES = join(import.meta.dirname, '../fixtures/mcp-servers');
const folder = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-mcp-e2e-')));
const cribs: Crib[] = [];
const running: ChildProcess[] = [];

afterEach(async () => {
  await Promise.all(cribs.splice(0).map((crib) => crib.close()));
  for (const child of running.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const postgres = postgresFolder();
if (!postgres)
  console.warn('Skipped: PostgreSQL is not installed (Debian: apt-get install postgresql).');

type ServerInput = NonNullable<NonNullable<ConfigInput['mcp']>['servers']>[string];

const programOf = (name: string): string => {
  const pack = createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/package.json`);
  return join(dirname(pack), 'dist/index.js');
};

const open = async (servers: Record<string, ServerInput>): Promise<Crib> => {
  const crib = await createCrib({
    builtins: false,
    store: 'memory',
    home: folder,
    config: {
      mcp: { startTimeoutMs: 60_000, servers },
      registry: { lock: 'off' },
    },
  });
  cribs.push(crib);
  return crib;
};

const stdio = (name: string, ...args: readonly string[]): ServerInput => ({
  command: process.execPath,
  args: [programOf(name), ...args],
  tier: 'read_only',
  timeoutMs: 60_000,
});

const dataOf = async (crib: Crib, tool: string, input: unknown): Promise<unknown> => {
  const { error, data } = await crib.execute(tool, input);
  if (error) throw new Error(`${tool}: ${error.code} ${error.message}`);
  return data;
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

/** Waits for a line of a program; its pipes stay open, or it would die of its own words. */
const said = (child: ChildProcess, pattern: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        text += String(chunk);
        const [, found] = pattern.exec(text) ?? [];
        if (found !== undefined) resolve(found);
      });
    }
    child.once('exit', () => reject(new Error(`It ended: ${text}`)));
  });

const start = (args: readonly string[], env: Record<string, string> = {}): ChildProcess => {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  return child;
};

/** The everything server over HTTP, once it listens. */
const startRemote = async (transport: string): Promise<number> => {
  const port = await freePort();
  const child = start([programOf('server-everything'), transport], { PORT: String(port) });
  await said(child, /port (\d+)/);
  return port;
};

describe('servers of others, over stdio', () => {
  it('the server everything lists its tools and answers', { timeout: LONG }, async () => {
    const crib = await open({ all: stdio('server-everything') });
    expect(await dataOf(crib, 'echo', { message: 'hi' })).toContain('hi');
    expect(crib.servers.list()[0]).toMatchObject({ state: 'ready', transport: 'stdio' });
    const [resource] = await crib.servers.resources();
    expect(resource).toMatchObject({ server: 'all' });
    expect(await crib.servers.readResource('all', resource?.uri ?? '')).not.toEqual([]);
    expect((await crib.servers.prompts()).length).toBeGreaterThan(0);
  });

  it('the server filesystem lists its tools and answers', { timeout: LONG }, async () => {
    await writeFile(join(folder, 'note.txt'), 'read by a server');
    const crib = await open({ files: stdio('server-filesystem', folder) });
    const read = await crib.execute('read_text_file', { path: join(folder, 'note.txt') });
    expect(JSON.stringify(read.error ?? read.data)).toContain('read by a server');
    const outside = await crib.execute('read_text_file', { path: '/etc/hostname' });
    expect(outside.success).toBe(false);
  });

  it('the server memory lists its tools and answers', { timeout: LONG }, async () => {
    const env = { MEMORY_FILE_PATH: join(folder, 'memory.json') };
    const crib = await open({ memory: { ...stdio('server-memory'), env } });
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['counts'] }];
    await dataOf(crib, 'create_entities', { entities });
    expect(JSON.stringify(await dataOf(crib, 'read_graph', {}))).toContain('Ada');
  });

  it('the server sequential thinking lists its tools and answers', { timeout: LONG }, async () => {
    const crib = await open({ thinking: stdio('server-sequential-thinking') });
    const thought = {
      thought: 'one',
      thoughtNumber: 1,
      totalThoughts: 1,
      nextThoughtNeeded: false,
    };
    expect(JSON.stringify(await dataOf(crib, 'sequentialthinking', thought))).toContain(
      'thoughtNumber',
    );
  });

  it.skipIf(!postgres)(
    'the server postgres lists its tools and answers',
    { timeout: LONG },
    async () => {
      const server = await openPostgres(postgres as string);
      try {
        await server.sql("create table birds (name text); insert into birds values ('wren')");
        // The server reads the address with `URL`, which wants a host in it.
        const url = server.urlFor('boss').replace('@/', '@localhost/');
        const crib = await open({ db: stdio('server-postgres', url) });
        const sql = 'select name from birds';
        expect(JSON.stringify(await dataOf(crib, 'query', { sql }))).toContain('wren');
      } finally {
        await Promise.all(cribs.splice(0).map((crib) => crib.close()));
        await server.close();
      }
    },
  );

  it('a server of the newer protocol era only answers', { timeout: LONG }, async () => {
    const program = join(FIXTURES, 'modern-server.mjs');
    const server = { command: process.execPath, args: [program], tier: 'read_only' as const };
    const crib = await open({ modern: server });
    expect(await dataOf(crib, 'add', { a: 1, b: 2 })).toEqual({
      content: [{ type: 'text', text: '3' }],
      structuredContent: { sum: 3 },
    });
    expect(await crib.servers.test('modern')).toMatchObject({ protocol: '2026-07-28' });
  });
});

describe('servers of others, over the network', () => {
  const remote = (url: string, more: Partial<ServerInput> = {}): ServerInput => ({
    url,
    tier: 'read_only',
    ...more,
  });

  it('a server over streamable HTTP on this machine answers, because it is configured', {
    timeout: LONG,
  }, async () => {
    const port = await startRemote('streamableHttp');
    const crib = await open({ far: remote(`http://127.0.0.1:${port}/mcp`) });
    expect(await dataOf(crib, 'echo', { message: 'far' })).toContain('far');
    expect(crib.servers.list()[0]).toMatchObject({ transport: 'http', state: 'ready' });
  });

  it('a server over the older event stream answers', { timeout: LONG }, async () => {
    const port = await startRemote('sse');
    const crib = await open({ old: remote(`http://127.0.0.1:${port}/sse`, { transport: 'sse' }) });
    expect(crib.tools.loads[0]?.error).toBeUndefined();
    expect(await dataOf(crib, 'echo', { message: 'old' })).toContain('old');
  });

  it('a server over WebSocket gets the configured headers', { timeout: LONG }, async () => {
    const child = start([join(FIXTURES, 'socket-server.mjs')]);
    const port = await said(child, /port (\d+)/);
    const key = said(child, /key (\S+)/);
    const headers = { 'x-key': 'from-the-configuration' };
    const crib = await open({ ws: remote(`ws://127.0.0.1:${port}/`, { headers }) });
    expect(await dataOf(crib, 'echo', { word: 'socket' })).toBe('socket');
    expect(await key).toBe('from-the-configuration');
  });

  it('threat: a server reaches no other host by a redirect', { timeout: LONG }, async () => {
    const { createServer: createHttp } = await import('node:http');
    let hits = 0;
    const target = createHttp((_, response) => {
      hits += 1;
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(target, 'listening');
    const to = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
    const evil = createHttp((_, response) => {
      response.writeHead(307, { location: to }).end();
    }).listen(0, '127.0.0.1');
    await once(evil, 'listening');
    const crib = await open({
      evil: remote(`http://127.0.0.1:${(evil.address() as AddressInfo).port}/`),
    });
    expect(crib.tools.list()).toEqual([]);
    expect(crib.tools.loads[0]?.error).toBeDefined();
    expect(hits).toBe(0);
    for (const server of [target, evil]) {
      server.closeAllConnections();
      server.close();
    }
  });
});
