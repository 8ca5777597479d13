/** An MCP server that never answers, beside others: no command waits for it that does not need it. */
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ToolError } from '../../src/contract/errors.ts';
import type { ServerStatus } from '../../src/contract/servers.ts';
import { createProject, type Project } from './run-toolcrib.ts';

beforeAll(() => {
  createProject();
}, 180_000);

const MEMORY = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-memory/dist/index.js',
);
/** A start of the program on a busy machine, without any wait for a server. */
const MAX_PLAIN_MS = 20_000;

const timed = async (project: Project, ...args: readonly string[]) => {
  const from = performance.now();
  const ended = await project.run(args);
  return { ...ended, ms: performance.now() - from };
};

const withSleeper = async (): Promise<Project> => {
  const project = createProject();
  await project.run(['servers', 'add', 'slow', '--', 'sleep', '60']);
  return project;
};

describe('a server that never answers', { timeout: 120_000 }, () => {
  it('is not started for a call of another tool, nor for an explanation of one', async () => {
    const project = await withSleeper();
    const run = await timed(project, 'run', 'calculator', 'expression=1+1', '--json');
    expect(run.json()).toMatchObject({ success: true });
    expect(run.ms).toBeLessThan(MAX_PLAIN_MS);
    expect(run.err).not.toContain('late');
    const explained = await timed(project, 'policy', 'explain', 'calculator', 'expression=1');
    expect([explained.code, explained.err]).toEqual([0, '']);
    expect(explained.ms).toBeLessThan(MAX_PLAIN_MS);
  });

  it('is not started for a name that it cannot have, and is named as one that has not answered', async () => {
    const project = await withSleeper();
    const unknown = await timed(project, 'run', 'calculater', 'expression=1', '--json');
    expect(unknown.ms).toBeLessThan(MAX_PLAIN_MS);
    const { code, suggestions } = unknown.json<{ error: ToolError }>().error;
    expect(code).toBe('TOOL_NOT_FOUND');
    expect(suggestions?.join(' ')).toMatch(/Did you mean calculator.*not answered yet: slow\./);
    expect(unknown.err).not.toContain('late');
    const info = await timed(project, 'tools', 'info', 'nosuch');
    expect([info.code, info.ms < MAX_PLAIN_MS]).toEqual([2, true]);
    expect(info.err).toContain('toolcrib servers test slow');
  });

  it('benign: a server is started for a name that begins with its own', async () => {
    const project = await withSleeper();
    await project.run(['servers', 'add', 'memory', '--', process.execPath, MEMORY]);
    const run = await project.run(['run', 'memory.read_graph', '--yes', '--json']);
    expect(run.json()).toMatchObject({ error: { code: 'TOOL_QUARANTINED' } });
  });

  it('delays a list by two seconds once, and is shown as one that did not answer', async () => {
    const project = await withSleeper();
    const first = await timed(project, 'servers', '--json');
    const [status] = first.json<{ servers: ServerStatus[] }>().servers;
    expect(status).toMatchObject({
      name: 'slow',
      state: 'starting',
      lastError: 'no answer in 2 s',
    });
    expect(first.ms).toBeLessThan(MAX_PLAIN_MS);
    const again = await project.run(['servers', '--json']);
    const [known] = again.json<{ servers: ServerStatus[] }>().servers;
    expect(known).toMatchObject({ state: 'idle', lastError: 'did not answer in 2 s' });
    expect(again.err).toBe('');
  });

  it('is named by doctor, which then does not say that all is ready', async () => {
    const project = await withSleeper();
    const doctor = await timed(project, 'doctor');
    expect(doctor.out).toMatch(/✗ server +slow: (?:did not|no) answer in 2 s/);
    expect(doctor.out).not.toContain('Ready.');
    expect([doctor.code, doctor.ms < MAX_PLAIN_MS]).toEqual([1, true]);
  });

  it('leaves the tools of a server beside it callable at once after their first list', async () => {
    const project = await withSleeper();
    await project.run(['servers', 'add', 'memory', '--', process.execPath, MEMORY]);
    await project.run(['tools', 'lock', '--accept-all', '--yes']);
    const run = await timed(project, 'run', 'read_graph', '--yes', '--json');
    expect(run.json()).toMatchObject({ success: true });
    expect(run.ms).toBeLessThan(MAX_PLAIN_MS);
  });

  it('does not delay that lock --accept-all says that nobody can be asked', async () => {
    const project = await withSleeper();
    const lock = await timed(project, 'tools', 'lock', '--accept-all');
    expect([lock.code, lock.ms < MAX_PLAIN_MS]).toEqual([2, true]);
    expect(lock.err).toContain('There is no terminal to ask on.');
  });

  it('does not delay the first answer of toolcrib mcp', async () => {
    const project = await withSleeper();
    const child = project.start(['mcp']);
    const from = performance.now();
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    const answer = new Promise<string>((resolve) => {
      child.stdout?.once('data', (chunk) => resolve(String(chunk)));
    });
    child.stdin?.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`,
    );
    expect(await answer).toContain('"serverInfo"');
    expect(performance.now() - from).toBeLessThan(MAX_PLAIN_MS);
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.stdin?.end();
    expect(await ended).toBe(0);
  });
});
