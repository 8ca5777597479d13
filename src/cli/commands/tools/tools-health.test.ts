/** `tools health` over tools that ship and those of a real server. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import { runCli } from '../../run-cli.ts';

const SERVER = join(import.meta.dirname, '../../../../test/fixtures/changing-server.mjs');

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-cli-health-')));
  await mkdir(join(root, 'user'));
  await mkdir(join(root, 'project'));
});

afterEach(() => {
  vi.unstubAllEnvs();
  return rm(root, { recursive: true, force: true });
});

interface Found {
  readonly ok: boolean;
  readonly tools: readonly {
    readonly tool: string;
    readonly state: string;
    readonly record?: { readonly ran: number; readonly lastUsedAt?: number };
    readonly checks: readonly { readonly name: string; readonly state: string }[];
  }[];
}

const run = async (args: readonly string[], env: Record<string, string> = {}) => {
  // Calls see the environment of the process, and checks look where calls do.
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const { io, out, err } = fakeIo({
    cwd: join(root, 'project'),
    env: { HOME: root, TOOLCRIB_HOME: join(root, 'user'), ...env },
    json: args.includes('--json'),
  });
  return { code: await runCli(args, io), out: out(), err: err() };
};

const health = async (names: readonly string[], env?: Record<string, string>) => {
  const { code, out } = await run(['tools', 'health', ...names, '--json'], env);
  return { code, found: JSON.parse(out) as Found };
};

const configure = (config: object): Promise<void> =>
  writeFile(join(root, 'user', 'config.yml'), JSON.stringify(config));

const withServer = () =>
  configure({
    mcp: {
      servers: {
        demo: {
          command: process.execPath,
          args: [SERVER, join(root, 'tools.json')],
          tier: 'read_only',
        },
      },
    },
  });

const SLOW = { timeout: 120_000 };

describe('toolcrib tools health', SLOW, () => {
  it('calls a tool well, with its record', async () => {
    expect((await health(['calculator'])).found.tools[0]?.record).toMatchObject({ ran: 0 });
    await run(['run', 'calculator', 'expression=6*7']);
    const { code, found } = await health(['calculator']);
    expect([code, found.ok]).toEqual([0, true]);
    expect(found.tools[0]).toMatchObject({ tool: 'calculator', state: 'well' });
    expect(found.tools[0]?.record).toMatchObject({ ran: 1, errorRate: 0 });
    const page = await run(['tools', 'health', 'calculator']);
    expect(page.out).toMatch(
      /^✓ {2}calculator {2}\[Built-in\] {2}well {2}used \d+ s ago {2}0 % of 1 call failed$/m,
    );
  });

  it('checks for programs: a missing one makes a tool unwell', async () => {
    const bare = join(root, 'bin');
    await mkdir(bare);
    const without = await health(['git'], { PATH: bare });
    expect(without.code).toBe(1);
    expect(without.found.tools[0]?.checks).toContainEqual(
      expect.objectContaining({ name: 'program', state: 'broken' }),
    );
    await writeFile(join(bare, 'git'), '#!/bin/sh\n', { mode: 0o755 });
    expect((await health(['git'], { PATH: bare })).found.tools[0]?.checks).toContainEqual(
      expect.objectContaining({ name: 'program', state: 'ok' }),
    );
  });

  it('checks for credentials: a missing or blank one makes a tool unwell', async () => {
    const stateWith = async (env: Record<string, string>) => {
      const { code, found } = await health(['web_search'], env);
      return [code, found.tools[0]?.state];
    };
    expect(await stateWith({})).toEqual([1, 'unwell']);
    expect(await stateWith({ BRAVE_API_KEY: ' ' })).toEqual([1, 'unwell']);
    expect(await stateWith({ BRAVE_API_KEY: 'the-canary' })).toEqual([0, 'well']);
    const page = await run(['tools', 'health', 'web_search'], { BRAVE_API_KEY: 'the-canary' });
    expect(page.out + page.err).not.toContain('the-canary');
  });

  it('checks a disabled tool only when it is named, as unwell', async () => {
    await configure({ tools: { calculator: { enabled: false } } });
    const named = await run(['tools', 'health', 'calculator']);
    expect([named.code, named.out.includes('It is switched off')]).toEqual([1, true]);
    const { found } = await health([]);
    expect(found.tools.length).toBeGreaterThan(10);
    expect(found.tools.map(({ tool }) => tool)).not.toContain('calculator');
    expect((await run(['tools', 'health', 'calculater'])).code).toBe(2);
  });

  it('asks the server: its tools are well while it answers', async () => {
    await writeFile(join(root, 'tools.json'), JSON.stringify({ add: 'Adds two numbers.' }));
    await withServer();
    await run(['tools', 'lock', '--accept-all', '--yes']);
    expect((await health(['add'])).found.tools[0]).toMatchObject({ state: 'well' });
    await rm(join(root, 'tools.json'));
    const { code, found } = await health(['add']);
    expect([code, found.tools[0]?.state]).toEqual([1, 'unwell']);
    expect(found.tools[0]?.checks).toContainEqual(
      expect.objectContaining({ name: 'server', state: 'broken' }),
    );
  });
});
