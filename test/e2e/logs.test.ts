/** The log of the built program: ids across processes, levels at run time, rotation, nothing on stdout. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../fixtures/eventually.ts';
import { createQuickProject } from './quick-project.ts';
import type { Project } from './run-toolcrib.ts';

type Line = Readonly<Record<string, unknown>>;

const started: ChildProcess[] = [];
beforeAll(() => {
  createQuickProject();
}, 180_000);
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** The lines of JSON in a text; other lines are notes for people. */
const linesIn = (text: string): readonly Line[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);

const start = (
  project: Project,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
) => {
  const child = project.start(args, { env });
  started.push(child);
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk) => {
    out += String(chunk);
  });
  child.stderr?.on('data', (chunk) => {
    err += String(chunk);
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { child, stop, out: () => out, err: () => err, lines: () => linesIn(err) };
};

const post = async (url: string, bearer: string, path: string, body: unknown) => {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const requestId = answer.headers.get('x-request-id');
  return { requestId, json: (await answer.json()) as { readonly id?: string } };
};

const INFO = { TOOLCRIB_OBSERVATION_LOG_LEVEL: 'info' };

describe('the log of the built program', { timeout: 120_000 }, () => {
  it('a request, the job it added, and the call of the worker share one trace id', async () => {
    const project = createQuickProject();
    const bearer = (await project.run(['tokens', 'create', 'ci'])).out.trim();
    const server = start(project, ['serve', '--port', '0', '--no-console', '--json'], INFO);
    await eventually(() => expect(server.out()).toMatch(/\}\n$/));
    const { url } = JSON.parse(server.out()) as { readonly url: string };
    const input = { expression: '6*7' };
    const called = await post(url, bearer, '/v1/tools/calculator/execute', { input });
    await eventually(() => expect(server.lines()).toHaveLength(1));
    expect(server.lines()[0]).toMatchObject({
      level: 'info',
      process: 'serve',
      pid: server.child.pid,
      msg: 'call finished',
      tool: 'calculator',
      status: 'success',
      traceId: called.requestId,
    });
    expect(server.err()).not.toContain('6*7');

    const payload = { tool: 'calculator', input };
    const added = await post(url, bearer, '/v1/jobs', { type: 'tool', payload });
    const worker = start(project, ['worker', '--json'], INFO);
    await eventually(() => expect(worker.lines()).toHaveLength(2));
    expect(worker.lines()).toMatchObject([
      { process: 'worker', msg: 'call finished', tool: 'calculator', traceId: added.requestId },
      {
        process: 'worker',
        msg: 'job attempt ended',
        type: 'tool',
        state: 'completed',
        jobId: added.json.id,
        traceId: added.requestId,
      },
    ]);
    await Promise.all([server.stop(), worker.stop()]);
  });

  it('a command changes the level of a running server; SIGHUP reopens its file', async () => {
    const project = createQuickProject();
    const file = join(project.folder, 'crib.log');
    const env = { TOOLCRIB_OBSERVATION_LOG_FILE: file };
    const bearer = (await project.run(['tokens', 'create', 'ci'])).out.trim();
    const server = start(project, ['serve', '--port', '0', '--no-console', '--json'], env);
    await eventually(() => expect(server.out()).toMatch(/\}\n$/));
    const { url } = JSON.parse(server.out()) as { readonly url: string };
    const call = () =>
      post(url, bearer, '/v1/tools/calculator/execute', { input: { expression: '1' } });
    await call();
    expect(readFileSync(file, 'utf8')).toBe('');

    const before = await project.run(['log', 'level']);
    expect(before.out).toBe('warn, as configured\n');
    const changed = await project.run(['log', 'level', 'debug', '--for', '10m', '--json']);
    expect(changed.json()).toMatchObject({ level: 'debug', configured: 'warn' });
    await call();
    await eventually(() => expect(readFileSync(file, 'utf8')).toContain('"call finished"'));

    renameSync(file, `${file}.1`);
    server.child.kill('SIGHUP');
    await eventually(() => expect(existsSync(file)).toBe(true));
    await call();
    await eventually(() => expect(readFileSync(file, 'utf8')).toContain('"call finished"'));
    expect(server.child.exitCode).toBeNull();
    await server.stop();
    const gone = await project.run(['log', 'level']);
    expect([gone.code === 0, gone.err]).toEqual([false, expect.stringContaining('NOT_FOUND')]);
    const past = await project.run(['log', 'level', 'info', '--for', '0s']);
    expect([past.code, past.err]).toEqual([2, expect.stringContaining('not over yet')]);
    const odd = await project.run(['log', 'level', 'bebug']);
    expect(odd.err).toContain('debug');
  });

  it('an MCP server over stdio logs to stderr only, and SIGUSR2 switches it to debug', async () => {
    const project = createQuickProject();
    const server = start(project, ['mcp'], {});
    const send = (message: object) =>
      server.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    send({ id: 1, method: 'initialize', params });
    await eventually(() => expect(server.out()).toContain('"id":1'));
    server.child.kill('SIGUSR2');
    send({ method: 'notifications/initialized' });
    const call = { name: 'calculator', arguments: { expression: '6*7' } };
    await eventually(() => {
      send({ id: 2, method: 'tools/call', params: call });
      expect(server.lines()).toContainEqual(
        expect.objectContaining({ process: 'mcp', msg: 'call finished', tool: 'calculator' }),
      );
    });
    for (const line of server.out().trim().split('\n')) {
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    }
    expect(server.child.exitCode).toBeNull();
  });
});
