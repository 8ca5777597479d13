/** MCP servers from outside: a real one added, tried and taken out, one that fails, and an import. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ServerStatus } from '../../src/contract/servers.ts';
import { createQuickProject } from './quick-project.ts';
import { createProject, type Project } from './run-toolcrib.ts';

beforeAll(() => {
  createQuickProject();
}, 180_000);

const MEMORY = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-memory/dist/index.js',
);

interface Tested {
  readonly ok: boolean;
  readonly ms: number;
  readonly status?: ServerStatus;
  readonly tools?: readonly { tool: string; tier?: string; state: string }[];
  readonly error?: { readonly code: string; readonly suggestions: readonly string[] };
  readonly logs?: readonly string[];
}

const servers = (project: Project, ...args: readonly string[]) => project.run(['servers', ...args]);

describe('toolcrib servers, built', { timeout: 120_000 }, () => {
  it('adds a real server, tests it, lists it, and removes it', async () => {
    const project = createQuickProject();
    const added = await servers(project, 'add', 'memory', '--', process.execPath, MEMORY);
    expect(added.err).toContain('toolcrib servers test memory');
    expect(added.code).toBe(0);
    const tested = await servers(project, 'test', 'memory', '--json');
    const { ok, status, tools } = tested.json<Tested>();
    expect(tested.code).toBe(0);
    expect(ok).toBe(true);
    expect(status).toMatchObject({ name: 'memory', transport: 'stdio', state: 'ready' });
    expect(status?.tools).toBeGreaterThan(3);
    expect(tools?.map(({ tool }) => tool)).toContain('read_graph');
    expect(tools?.every(({ tier }) => tier !== undefined)).toBe(true);
    const listed = (await servers(project, '--json')).json<{ servers: ServerStatus[] }>();
    expect(listed.servers).toMatchObject([{ name: 'memory', transport: 'stdio' }]);
    expect((await servers(project, 'remove', 'memory')).code).toBe(0);
    expect((await servers(project)).out).toBe('No MCP server is configured yet.\n');
  });

  it('explains why a server does not start, with its last output and what to do', async () => {
    const project = createQuickProject();
    const script = "console.error('the database is missing'); process.exit(3)";
    await servers(project, 'add', 'broken', '--', process.execPath, '-e', script);
    const plain = await servers(project, 'test', 'broken');
    expect(plain.code).toBe(1);
    expect(plain.err).toContain('the database is missing');
    const { ok, error, logs } = (await servers(project, 'test', 'broken', '--json')).json<Tested>();
    expect(ok).toBe(false);
    expect(error?.suggestions.length).toBeGreaterThan(0);
    expect(logs?.join('\n')).toContain('the database is missing');
  });

  it('a server that is switched off is not started', async () => {
    const project = createQuickProject();
    await servers(project, 'add', 'off', '--', process.execPath, MEMORY);
    await servers(project, 'disable', 'off');
    const listed = (await servers(project, '--json')).json<{ servers: ServerStatus[] }>();
    expect(listed.servers).toMatchObject([{ name: 'off', state: 'disabled' }]);
  });

  it('imports the servers of Cursor and replaces them with Toolcrib', async () => {
    const project = createProject();
    const file = join(project.home, '.cursor', 'mcp.json');
    const before = JSON.stringify({
      mcpServers: { memory: { command: process.execPath, args: [MEMORY] } },
    });
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, before);
    const args = ['import', '--from', 'cursor', '--rewrite', '--yes', '--json'];
    const done = (await servers(project, ...args)).json<{ taken: string[]; rewritten: object[] }>();
    expect(done.taken).toEqual(['memory']);
    expect(done.rewritten).toHaveLength(1);
    const { mcpServers } = JSON.parse(readFileSync(file, 'utf8')) as {
      mcpServers: Record<string, { command: string; args: readonly string[] }>;
    };
    expect(Object.keys(mcpServers)).toEqual(['toolcrib']);
    const limited = ['--client', 'cursor', '--servers', 'memory'];
    expect(mcpServers.toolcrib?.args).toEqual([project.cli, 'mcp', ...limited]);
    expect((await servers(project, 'test', 'memory')).code).toBe(0);
    await servers(project, 'import', '--restore', '--yes');
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('prints help with examples', async () => {
    const project = createQuickProject();
    for (const word of ['add', 'import', 'login', 'test']) {
      const { code, out } = await servers(project, word, '--help');
      expect(code).toBe(0);
      expect(out).toContain('Examples:');
    }
  });
});
