/** The built server from outside: its link, a call, two processes on one store, and how it ends. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../fixtures/eventually.ts';
import { createQuickProject } from './quick-project.ts';
import type { Project } from './run-toolcrib.ts';

const TIME_LIMIT = 120_000;

const started: ChildProcess[] = [];
beforeAll(() => {
  createQuickProject();
}, 180_000);
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

interface Said {
  readonly url: string;
  readonly mcp: string;
}

const serve = async (project: Project, ...args: readonly string[]) => {
  const child = project.start(['serve', '--port', '0', '--no-console', '--json', ...args]);
  started.push(child);
  let err = '';
  child.stderr?.on('data', (chunk) => {
    err += String(chunk);
  });
  let out = '';
  const said = await new Promise<Said>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      out += String(chunk);
      if (out.endsWith('}\n')) resolve(JSON.parse(out) as Said);
    });
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${err}`)));
  });
  const stop = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const [code] = (await once(child, 'exit')) as [number | null];
    return code;
  };
  return { ...said, stop, err: () => err, signal: (name: NodeJS.Signals) => child.kill(name) };
};

const token = async (project: Project, ...args: readonly string[]) =>
  (await project.run(['tokens', 'create', ...args])).out.trim();

const call = (url: string, bearer: string, expression: string) =>
  fetch(`${url}/v1/tools/calculator/execute`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input: { expression } }),
  });

/** Reads the events of a server as they come. */
const listen = async (url: string, bearer: string) => {
  const headers = { authorization: `Bearer ${bearer}` };
  const { body } = await fetch(`${url}/v1/events`, { headers });
  let text = '';
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of body ?? []) text += decoder.decode(chunk);
  })().catch(() => undefined);
  const until = async (fits: (text: string) => boolean): Promise<void> => {
    await eventually(() => expect(fits(text), text).toBe(true));
  };
  await until((told) => told.includes('retry:'));
  return { until, text: () => text };
};

describe('toolcrib serve, built', { timeout: TIME_LIMIT }, () => {
  it('answers calls, records them, and ends cleanly', async () => {
    const project = createQuickProject();
    const bearer = await token(project, 'ci');
    const server = await serve(project);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    const answer = await call(server.url, bearer, '6*7');
    expect([answer.status, await answer.json()]).toEqual([
      200,
      expect.objectContaining({ success: true }),
    ]);
    const headers = {
      authorization: `Bearer ${await token(project, 'screen', '--role', 'viewer')}`,
    };
    const metrics = await (await fetch(`${server.url}/metrics`, { headers })).text();
    expect(metrics).toContain('toolcrib_calls_total{tool="calculator",status="success"} 1');
    expect(await server.stop('SIGTERM')).toBe(0);
    const audit = await project.run(['audit', 'list', '--json']);
    expect(audit.out).toContain('token:ci');
    expect((await project.run(['audit', 'verify'])).code).toBe(0);
  });

  it('refuses a token that another process revokes, within a second', async () => {
    const project = createQuickProject();
    const bearer = await token(project, 'ci');
    const server = await serve(project);
    expect((await call(server.url, bearer, '1+1')).status).toBe(200);
    expect((await project.run(['tokens', 'revoke', 'ci'])).code).toBe(0);
    await pause(1100);
    expect((await call(server.url, bearer, '1+2')).status).toBe(401);
    expect(await server.stop('SIGINT')).toBe(0);
  });

  it('sends events of calls and questions of other processes, and its own once', async () => {
    const project = createQuickProject();
    const [viewer, agent] = [
      await token(project, 'screen', '--role', 'viewer'),
      await token(project, 'ci'),
    ];
    const server = await serve(project);
    const stream = await listen(server.url, viewer);
    await call(server.url, agent, '1+1');
    const ran = await project.run(['run', 'calculator', 'expression=6*7', '--json']);
    const { executionId } = ran.json<{ metadata: { executionId: string } }>().metadata;
    await stream.until((text) => text.includes(executionId));
    await project.run(['run', 'write_file', 'path=a.txt', 'content=x']);
    const remove = ['run', 'file_operations', 'operation=delete', 'path=a.txt', '--json'];
    const asked = await project.run(remove);
    const { approvalId } = asked.json<{ approval: { approvalId: string } }>().approval;
    await stream.until((text) => text.includes(approvalId));
    await project.run(['approvals', 'deny', approvalId]);
    await stream.until((text) => text.includes('event: approval.decided'));
    // What is told twice would have come by then.
    await call(server.url, agent, '2+2');
    await pause(1000);
    const names = stream.text().match(/^event: .*/gm) ?? [];
    expect(names.filter((name) => name === 'event: approval.requested')).toHaveLength(1);
    expect(names.filter((name) => name === 'event: approval.decided')).toHaveLength(1);
    expect(names.filter((name) => name === 'event: call.finished')).toHaveLength(5);
    expect(names.filter((name) => name === 'event: call.started')).toHaveLength(3);
    expect(stream.text()).not.toContain('stream.reset');
    await server.stop('SIGTERM');
  });

  it('prints a new console link on a signal, and none in its answers', async () => {
    const server = await serve(createQuickProject());
    server.signal('SIGUSR2');
    while (!server.err().includes('#code=')) await pause(10);
    const code = /#code=([\w-]+)/.exec(server.err())?.[1];
    const entered = await fetch(`${server.url}/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    expect(entered.status).toBe(200);
    expect(entered.headers.get('set-cookie')).toMatch(/HttpOnly.*SameSite=Strict/i);
    await server.stop('SIGTERM');
  });

  it('refuses an address that others can reach', async () => {
    const ended = await createQuickProject().run(['serve', '--host', '0.0.0.0', '--json']);
    expect(ended.code).toBe(2);
    expect(ended.json()).toMatchObject({ error: { code: 'CONFIG_INVALID' } });
  });
});
