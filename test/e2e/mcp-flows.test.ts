/** Flows of the built program over MCP, by real clients: as tools, as tasks, killed and continued. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../fixtures/mcp-surface.ts';
import { postModern } from '../fixtures/mcp-tasks.ts';
import { createProject, type Project } from './run-toolcrib.ts';

const SLOW = 180_000;

/** Adds, sleeps and adds again: a server that is killed while it sleeps has half of it on record. */
const NAP = `name: nap
version: 1.0.0
description: Adds after a nap.
input: { type: object, properties: { a: { type: number } }, required: [a], additionalProperties: false }
steps:
  - { id: first, call: calculator, input: { expression: { cel: "string(input.a) + ' + 1'" } } }
  - { id: nap, sleepMs: 4000 }
  - { id: last, call: calculator, input: { expression: { cel: "string(steps.first.data.result) + ' * 2'" } } }
output: { sum: { from: steps.last.data.result } }
`;
const SUM = `name: sum
version: 1.0.0
steps:
  - { id: sum, call: calculator, input: { expression: 20 + 22 } }
output: { from: steps.sum.data }
`;

const children: ChildProcess[] = [];
beforeAll(() => {
  createProject();
}, SLOW);
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const flowProject = async (): Promise<Project> => {
  const project = createProject();
  const folder = join(project.folder, '.toolcrib', 'flows');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'nap.yml'), NAP);
  writeFileSync(join(folder, 'sum.yml'), SUM);
  await project.run(['trust', '--yes']);
  return project;
};

const newClient = () => new Client({ name: 'e2e', version: '1.0.0' });

const stdioClient = async ({ cli, folder, env }: Project, agent: string) => {
  const client = newClient();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli, 'mcp', '--client', agent],
    cwd: folder,
    env: env as Record<string, string>,
  });
  await client.connect(transport);
  return { client, kill: () => process.kill(Number(transport.pid), 'SIGKILL') };
};

const httpClient = async (url: string, token: string) => {
  const client = newClient();
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }) as never);
  return client;
};

const serve = async (project: Project) => {
  const child = project.start(['serve', '--port', '0', '--no-console', '--json']);
  children.push(child);
  let out = '';
  const { mcp } = await new Promise<{ mcp: string }>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      out += String(chunk);
      if (out.endsWith('}\n')) resolve(JSON.parse(out) as { mcp: string });
    });
    child.once('exit', (code) => reject(new Error(`ended with ${code}`)));
  });
  const kill = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { mcp, kill };
};

/** Starts a nap as a task and waits until it sleeps. */
const startNap = async (client: Client): Promise<string> => {
  const { tasks } = client.experimental;
  const call = { name: 'flow_nap', arguments: { a: 2 } };
  const stream = tasks.callToolStream(call, CallToolResultSchema, { task: {} });
  const { value: created } = await stream.next();
  if (created?.type !== 'taskCreated') throw new Error(JSON.stringify(created));
  const { taskId } = created.task;
  await expect
    .poll(async () => (await tasks.getTask(taskId)).statusMessage, { timeout: 30_000 })
    .toContain('It sleeps until');
  return taskId;
};

const endOf = (client: Client, taskId: string) =>
  client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema, { timeout: 60_000 });

describe('flows over MCP, built', { timeout: SLOW }, () => {
  it('are tools of a client over stdio; a killed server goes on with a run when it is back', async () => {
    const project = await flowProject();
    const first = await stdioClient(project, 'editor');
    const { tools } = await first.client.listTools();
    expect(tools.find(({ name }) => name === 'flow_nap')).toMatchObject({
      title: 'Flow nap',
      annotations: { readOnlyHint: true },
      execution: { taskSupport: 'optional' },
    });
    const sum = await first.client.callTool({ name: 'flow_sum', arguments: {} });
    expect(sum.structuredContent).toMatchObject({ result: 42 });
    const taskId = await startNap(first.client);
    first.kill();

    const second = await stdioClient(project, 'editor');
    expect(await endOf(second.client, taskId)).toMatchObject({ structuredContent: { sum: 6 } });
    expect(await second.client.experimental.tasks.getTask(taskId)).toMatchObject({
      status: 'completed',
    });
    const other = await stdioClient(project, 'other');
    const foreign = other.client.experimental.tasks.getTask(taskId);
    await expect(foreign).rejects.toMatchObject({ code: -32602 });
    for (const { client } of [second, other]) await client.close();
    const audit = await project.run(['audit', 'list', '--json']);
    // Three calls of this client: one of the sum, and two of the nap, none of them twice.
    expect(audit.out.match(/"agentId": ?"editor"/g)?.length).toBe(3);
  });

  it('are tasks of a token over HTTP: they outlive the session and the server', async () => {
    const project = await flowProject();
    const create = async (name: string, ...args: readonly string[]) =>
      (await project.run(['tokens', 'create', name, ...args])).out.trim();
    const [token, otherToken] = [await create('ci'), await create('other')];
    const limited = await create('limited', '--tools', 'calculator,flow_sum');
    const before = await serve(project);
    const client = await httpClient(before.mcp, token);
    const taskId = await startNap(client);
    await before.kill();
    await client.close().catch(() => undefined);

    const after = await serve(project);
    const again = await httpClient(after.mcp, token);
    expect(['working', 'completed']).toContain(
      (await again.experimental.tasks.getTask(taskId)).status,
    );
    expect(await endOf(again, taskId)).toMatchObject({ structuredContent: { sum: 6 } });
    expect((await again.experimental.tasks.listTasks()).tasks).toHaveLength(1);
    const other = await httpClient(after.mcp, otherToken);
    const foreign = other.experimental.tasks.getTask(taskId);
    await expect(foreign).rejects.toMatchObject({ code: -32602 });
    expect((await other.experimental.tasks.listTasks()).tasks).toEqual([]);

    const bound = await httpClient(after.mcp, limited);
    const names = (await bound.listTools()).tools.map(({ name }) => name);
    expect([names.includes('flow_sum'), names.includes('flow_nap')]).toEqual([true, false]);
    const nap = await bound.callTool({ name: 'flow_nap', arguments: { a: 1 } });
    expect([nap.isError, textOf(nap)]).toEqual([true, expect.stringContaining('not on its list')]);

    const modern = (method: string, params: Record<string, unknown>) =>
      postModern(
        ({ headers, ...init }) => {
          const authorization = `Bearer ${token}`;
          return fetch(after.mcp, { ...init, headers: { ...(headers as object), authorization } });
        },
        method,
        params,
      );
    const { json } = await modern('tasks/get', { taskId });
    expect(json.result).toMatchObject({
      status: 'completed',
      result: { structuredContent: { sum: 6 } },
    });
    for (const each of [again, other, bound]) await each.close();
  });
});
