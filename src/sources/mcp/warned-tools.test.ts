import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import {
  type SessionServer,
  sessionHttpServer,
} from '../../../test/fixtures/mcp-servers/session-http-server.ts';
import {
  type SomeServers,
  someServers,
  someSettings,
} from '../../../test/fixtures/mcp-servers/some-servers.ts';
import { createRuntime } from '../../crib/create-runtime.ts';

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

let server: SessionServer;

/** Opens the servers as one command does; returns what it was warned of. */
const opener = async () => {
  server = await sessionHttpServer('http');
  ends.push(() => server.close());
  const where = { transport: 'http', url: server.url, command: '', args: [] } as const;
  const cacheDir = await mkdtemp(join(tmpdir(), 'toolcrib-warned-'));
  return async (work: (servers: SomeServers) => Promise<unknown>): Promise<readonly string[]> => {
    const warnings: string[] = [];
    const quiet = () => undefined;
    const warn = (_: string, fields?: object): void => {
      warnings.push(JSON.stringify(fields));
    };
    const runtime = createRuntime({ log: { debug: quiet, info: quiet, error: quiet, warn } });
    const servers = await someServers([someSettings(where)], { cacheDir, runtime });
    ends.push(() => servers.end());
    await work(servers);
    return warnings;
  };
};

it('a tool that can only be called as a task is not offered, and that is said once', async () => {
  const open = await opener();
  const load = async ({ sources }: SomeServers): Promise<void> => {
    const names = (await sources[0]?.load())?.map(({ name }) => name);
    expect(names).toContain('count');
    expect(names).not.toContain('as_task');
  };
  expect(await open(load)).toEqual([expect.stringMatching(/as_task.+as a task/)]);
  expect(await open(load)).toEqual([]);
});

it('a test of the server says again which of its tools cannot be used', async () => {
  const open = await opener();
  const test = async ({ sources, servers }: SomeServers): Promise<void> => {
    await sources[0]?.load();
    await servers.test('odd');
  };
  expect(await open(test)).toHaveLength(1);
  expect(await open(test)).toEqual([expect.stringContaining('as_task')]);
});

it('a test of a server with other tools than before says which of the new ones cannot be used', async () => {
  const open = await opener();
  await open(async ({ sources }) => sources[0]?.load());
  server.tools.push({ name: 'remote', inputSchema: { type: 'object', $ref: 'https://a.example' } });
  const warnings = await open(async ({ sources, servers }) => {
    await sources[0]?.load();
    await servers.test('odd');
  });
  expect(warnings).toEqual([
    expect.stringContaining('as_task'),
    expect.stringMatching(/remote.+another document/),
  ]);
});
