import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import {
  ERAS,
  type Era,
  httpClient,
  openSurface,
  type TestSurface,
  textOf,
  tokens,
} from '../../../../test/fixtures/mcp-surface.ts';
import {
  asker,
  askModern,
  blockedBelow,
  sleeper,
  twice,
} from '../../../../test/fixtures/mcp-tasks.ts';
import { aTool } from '../../../../test/fixtures/test-crib.ts';
import { defineFlow } from '../../../contract/define-flow.ts';

let open: TestSurface | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

const fails = defineFlow({
  name: 'fails',
  version: '1.0.0',
  run: async (flow) => {
    await flow.sleep(5_000);
    throw new Error('no luck');
  },
});

const opened = async (options = {}): Promise<TestSurface> => {
  open = await openSurface([aTool()], { http: { authenticate: tokens }, ...options });
  await open.crib.flows.registerData(twice);
  open.crib.flows.register(sleeper);
  open.crib.flows.register(asker);
  open.crib.flows.register(fails);
  return open;
};

const MINUTE = 62_000;

describe('a run as a task of 2025-11-25', () => {
  type Old = Awaited<ReturnType<TestSurface['oldClient']>>;

  /** Calls with a task and reads the messages up to the creation of the task. */
  const create = async (client: Old, name: string, args: Record<string, unknown> = {}) => {
    const task = { ttl: 60_000 };
    const stream = client.experimental.tasks.callToolStream(
      { name, arguments: args },
      CallToolResultSchema,
      { task },
    );
    const first = await stream.next();
    if (first.value?.type !== 'taskCreated') throw new Error(JSON.stringify(first.value));
    return { task: first.value.task, stream };
  };

  it('is created, followed and ends with the result of the call', async () => {
    const { oldClient, crib } = await opened();
    const client = await oldClient();
    const { task, stream } = await create(client, 'flow_sleeper', { a: 1 });
    expect(task).toMatchObject({ ttl: 30 * 86_400_000, pollInterval: 1_000 });
    await crib.runtime.advance(10);
    expect(await client.experimental.tasks.getTask(task.taskId)).toMatchObject({
      status: 'working',
      statusMessage: expect.stringContaining('It sleeps until'),
    });
    await crib.runtime.advance(MINUTE);
    const messages = [];
    for await (const message of stream) messages.push(message);
    expect(messages.at(-1)).toMatchObject({
      type: 'result',
      result: {
        structuredContent: { slept: true, input: { a: 1 } },
        _meta: { 'io.modelcontextprotocol/related-task': { taskId: task.taskId } },
      },
    });
  });

  it('makes a request for the result wait until the run is over', async () => {
    const { oldClient, crib } = await opened();
    const client = await oldClient();
    const { task } = await create(client, 'flow_sleeper');
    const result = client.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema);
    await crib.runtime.advance(MINUTE);
    expect(await result).toMatchObject({ structuredContent: { slept: true } });
  });

  it('needs input while an approval waits, and asks with the request for the result', async () => {
    const { oldClient, crib } = await opened();
    const client = await oldClient(() => ({ action: 'accept', content: { approve: true } }));
    const { task } = await create(client, 'flow_asker');
    await expect
      .poll(async () => (await client.experimental.tasks.getTask(task.taskId)).status)
      .toBe('input_required');
    const asking = client.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema);
    await expect.poll(async () => (await crib.approvals.list()).length).toBe(0);
    await crib.runtime.advance(2_000);
    expect(await asking).toMatchObject({ structuredContent: { approved: true } });
  });

  it('fails with the run', async () => {
    const { oldClient, crib } = await opened();
    const client = await oldClient();
    const { task } = await create(client, 'flow_fails');
    await crib.runtime.advance(7_000);
    expect(await client.experimental.tasks.getTask(task.taskId)).toMatchObject({
      status: 'failed',
      statusMessage: expect.stringContaining('no luck'),
    });
    const result = await client.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema);
    expect(result).toMatchObject({ isError: true });
  });

  it('needs input, and has an answer at once, when a run that it has started is blocked', async () => {
    const { oldClient, crib } = await opened();
    for (const flow of blockedBelow()) crib.flows.register(flow);
    const client = await oldClient();
    const { task } = await create(client, 'flow_outer');
    const result = client.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema);
    await crib.runtime.advance(7_000);
    const status = () => client.experimental.tasks.getTask(task.taskId);
    await expect.poll(async () => (await status()).status).toBe('input_required');
    expect((await status()).statusMessage).toMatch(
      /^The run \S+ is blocked until a person decides/,
    );
    await crib.runtime.advance(2_000);
    const reply = await result;
    expect([reply.isError, textOf(reply)]).toEqual([true, expect.stringContaining('is blocked')]);
    expect(textOf(reply)).not.toContain('CANCELLED');
  });

  it('is cancelled with its run, and cannot be cancelled after its end', async () => {
    const { oldClient, crib } = await opened();
    const client = await oldClient();
    const { task } = await create(client, 'flow_sleeper');
    const { tasks } = client.experimental;
    expect(await tasks.cancelTask(task.taskId)).toMatchObject({ status: 'cancelled' });
    expect(await crib.flows.get(task.taskId)).toMatchObject({ status: 'cancelled' });
    await expect(tasks.cancelTask(task.taskId)).rejects.toMatchObject({ code: -32602 });
    expect(await tasks.getTaskResult(task.taskId, CallToolResultSchema)).toMatchObject({
      isError: true,
      _meta: { 'toolcrib/code': 'CANCELLED' },
    });
  });

  it('is listed in pages, newest first', async () => {
    const { oldClient, crib } = await opened();
    const client = await oldClient();
    for (let count = 0; count < 105; count += 1) {
      await crib.flows.start('asker', {}, { agentId: 'mcp' });
      await crib.runtime.advance(1);
    }
    const { tasks } = client.experimental;
    const first = await tasks.listTasks();
    expect(first.tasks).toHaveLength(100);
    const second = await tasks.listTasks(first.nextCursor);
    expect(second.tasks).toHaveLength(5);
    expect(new Set([...first.tasks, ...second.tasks].map(({ taskId }) => taskId)).size).toBe(105);
    await expect(tasks.listTasks('bad')).rejects.toMatchObject({ code: -32602 });
  });

  it('is reported by notifications: its status, and its steps under the token of the call', async () => {
    const { client, crib } = await opened();
    const connected = await client('legacy');
    const seen: { method: string; params?: unknown }[] = [];
    connected.fallbackNotificationHandler = async (notification) => void seen.push(notification);
    const send = (connected.transport as { send(message: unknown): Promise<void> }).send.bind(
      connected.transport,
    );
    const params = {
      name: 'flow_sleeper',
      arguments: {},
      task: {},
      _meta: { progressToken: 'steps' },
    };
    const { transport } = connected;
    const pass = transport?.onmessage;
    if (transport) {
      transport.onmessage = (message, extra) => {
        if ('method' in message) seen.push(message);
        pass?.(message, extra);
      };
    }
    await send({ jsonrpc: '2.0', id: 'own', method: 'tools/call', params });
    await expect.poll(async () => (await crib.flows.list())[0]?.status).toBe('sleeping');
    await crib.runtime.advance(MINUTE);
    const last = (method: string) => seen.findLast((each) => each.method === method)?.params;
    await expect
      .poll(() => last('notifications/tasks/status'))
      .toMatchObject({ status: 'completed' });
    expect(last('notifications/progress')).toMatchObject({ progressToken: 'steps', progress: 2 });
  });
});

describe('a run as a task of the extension of 2026-07-28', () => {
  const get = async ({ surface }: TestSurface, taskId: string, more = {}) =>
    (await askModern(surface, 'tasks/get', { taskId, ...more })).json.result;

  const create = async ({ surface, crib }: TestSurface, name: string, more = {}) => {
    const asking = askModern(surface, 'tools/call', { name, arguments: {}, ...more });
    await crib.runtime.advance(1_500);
    return (await asking).json.result;
  };

  it('is not made of a run that ends at once', async () => {
    const { surface } = await opened();
    const call = { name: 'flow_twice', arguments: { text: 'a' } };
    const { json } = await askModern(surface, 'tools/call', call);
    expect(json.result).toMatchObject({ resultType: 'complete', structuredContent: { both: {} } });
  });

  it('is made of a long run, and holds the result in the end', async () => {
    const at = await opened();
    const task = await create(at, 'flow_sleeper');
    expect(task).toMatchObject({ resultType: 'task', status: 'working', pollIntervalMs: 1_000 });
    expect(await get(at, task.taskId)).toMatchObject({ resultType: 'complete', status: 'working' });
    await at.crib.runtime.advance(MINUTE);
    expect(await get(at, task.taskId)).toMatchObject({
      status: 'completed',
      result: { structuredContent: { slept: true } },
    });
  });

  it('is completed with an error as its result when the run fails', async () => {
    const at = await opened();
    const { taskId } = await create(at, 'flow_fails');
    await at.crib.runtime.advance(7_000);
    expect(await get(at, taskId)).toMatchObject({ status: 'completed', result: { isError: true } });
  });

  it('takes the answer to an approval from a client that can show forms', async () => {
    const at = await opened();
    const capabilities = {
      elicitation: { form: {} },
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    };
    const { taskId } = await create(at, 'flow_asker', { capabilities });
    const waiting = await get(at, taskId, { capabilities });
    expect(waiting.status).toBe('input_required');
    const [[key, question]] = Object.entries(waiting.inputRequests) as [[string, unknown]];
    expect(JSON.stringify(question)).toContain('Go on?');
    const answer = { action: 'accept', content: { approve: true } };
    const inputResponses = { unknown: answer, [key]: answer };
    const update = { taskId, capabilities, inputResponses };
    expect((await askModern(at.surface, 'tasks/update', update)).json.result).toMatchObject({
      resultType: 'complete',
    });
    await at.crib.runtime.advance(2_000);
    expect(await get(at, taskId)).toMatchObject({
      result: { structuredContent: { approved: true } },
    });
  });

  it('threat: an answer of a client that must not be asked does not count', async () => {
    const at = await opened({ approvals: 'inbox' });
    const { taskId } = await create(at, 'flow_asker');
    expect(await get(at, taskId)).toMatchObject({ status: 'input_required', inputRequests: {} });
    const [question] = await at.crib.approvals.list();
    const answer = { action: 'accept', content: { approve: true } };
    const update = { taskId, inputResponses: { [String(question?.id)]: answer } };
    await askModern(at.surface, 'tasks/update', update);
    expect(await at.crib.approvals.list()).toHaveLength(1);
  });

  it('is cancelled with its run; a cancellation after the end changes nothing', async () => {
    const at = await opened();
    const { taskId } = await create(at, 'flow_sleeper');
    for (let count = 0; count < 2; count += 1) {
      const { json } = await askModern(at.surface, 'tasks/cancel', { taskId });
      expect(json.result).toMatchObject({ resultType: 'complete' });
    }
    expect(await get(at, taskId)).toMatchObject({ status: 'cancelled' });
    expect(await at.crib.flows.get(taskId)).toMatchObject({ status: 'cancelled' });
  });

  it('is refused to a client that has not declared the extension', async () => {
    const at = await opened();
    const { taskId } = await create(at, 'flow_sleeper');
    const capabilities = {};
    for (const [method, more] of [
      ['tasks/get', {}],
      ['tasks/update', { inputResponses: {} }],
      ['tasks/cancel', {}],
    ] as const) {
      const { json } = await askModern(at.surface, method, { taskId, capabilities, ...more });
      expect(json.error).toMatchObject({ code: -32021 });
    }
  });
});

describe('threat: the task of another client', () => {
  const TASK_METHODS = ['tasks/get', 'tasks/result', 'tasks/cancel'] as const;
  const request = (era: Era, method: string) =>
    era === 'legacy' || method !== 'tasks/result' ? method : 'tasks/update';

  it.each(ERAS)('hostile: is as good as unknown in the %s era', async (era) => {
    const { surface, crib } = await opened();
    const alice = await httpClient(surface, 'legacy');
    const started = await alice.callTool({ name: 'flow_sleeper', arguments: {} });
    const taskId = String(started._meta?.['toolcrib/runId']);
    const bob = await httpClient(surface, 'legacy', { user: 'bob' });
    const any = {
      '~standard': { version: 1, vendor: 't', validate: (value: unknown) => ({ value }) },
    };
    const ask = async (method: string, id: string): Promise<unknown> => {
      const params = { taskId: id, ...(method === 'tasks/update' && { inputResponses: {} }) };
      if (era === 'modern') {
        return (await askModern(surface, method, { user: 'bob', ...params })).json.error;
      }
      return bob
        .request({ method, params } as never, any as never)
        .catch((error: unknown) => error);
    };
    for (const method of TASK_METHODS.map((each) => request(era, each))) {
      const foreign = (await ask(method, taskId)) as { code: number; message: string };
      const unknown = (await ask(method, 'no-such-run')) as { message: string };
      expect([foreign.code, foreign.message]).toEqual([-32602, unknown.message]);
    }
    const uri = `toolcrib://runs/${taskId}`;
    await expect(bob.readResource({ uri })).rejects.toThrow();
    expect(JSON.stringify(await alice.readResource({ uri }))).toContain('sleeping');
    expect(await crib.flows.get(taskId)).toMatchObject({ status: 'sleeping' });
  });

  it('hostile: an owner sees no runs of others, nor those of another agent of the same user', async () => {
    const { client, crib } = await opened();
    const { runId: ofAda } = await crib.flows.start('sleeper', {}, { userId: 'ada' });
    const { runId: ofOther } = await crib.flows.start('sleeper', {}, { agentId: 'other' });
    const connected = await client('legacy');
    for (const runId of [ofAda, ofOther]) {
      await expect(connected.readResource({ uri: `toolcrib://runs/${runId}` })).rejects.toThrow();
    }
  });

  it('hostile: a run that another run has started is no task', async () => {
    const { client, crib } = await opened();
    const outer = defineFlow({
      name: 'outer',
      version: '1.0.0',
      run: (flow) => flow.child(sleeper, {}),
    });
    crib.flows.register(outer);
    const connected = await client('legacy');
    const replying = connected.callTool({ name: 'flow_outer', arguments: {} });
    await crib.runtime.advance(26_000);
    const { structuredContent } = await replying;
    const child = (await crib.flows.list()).find(({ parent }) => parent !== undefined);
    expect(child?.parent?.runId).toBe((structuredContent as { runId: string }).runId);
    await expect(connected.readResource({ uri: `toolcrib://runs/${child?.id}` })).rejects.toThrow();
  });

  it('hostile: ids and inputs that are huge, and ids of the wrong kind', async () => {
    const { surface, crib, client } = await opened();
    for (const taskId of ['x'.repeat(100_000), '', '../../x', '\u0000']) {
      const headers = taskId.length > 1_000 ? undefined : taskId;
      if (headers === undefined || /[^\x20-\x7e]/.test(taskId) || taskId === '') continue;
      const { json } = await askModern(surface, 'tasks/get', { taskId });
      expect(json.error).toMatchObject({ code: -32602 });
    }
    const huge = { text: 'x'.repeat(1_000_001) };
    const reply = await (await client('legacy')).callTool({ name: 'flow_twice', arguments: huge });
    expect([reply.isError, textOf(reply)]).toEqual([true, expect.stringContaining('too long')]);
    expect(await crib.flows.list()).toEqual([]);
  });
});
