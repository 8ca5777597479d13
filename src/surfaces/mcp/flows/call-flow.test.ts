import type { Client } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import {
  ERAS,
  httpClient,
  openSurface,
  type TestSurface,
  textOf,
  tokens,
} from '../../../../test/fixtures/mcp-surface.ts';
import { asker, sleeper, twice } from '../../../../test/fixtures/mcp-tasks.ts';
import { aTool } from '../../../../test/fixtures/test-crib.ts';
import { defineFlow } from '../../../contract/define-flow.ts';

let open: TestSurface | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

const opened = async (options = {}): Promise<TestSurface> => {
  open = await openSurface([aTool()], { http: { authenticate: tokens }, ...options });
  await open.crib.flows.registerData(twice);
  open.crib.flows.register(sleeper);
  open.crib.flows.register(asker);
  return open;
};

const start = (client: Client, name: string, args: Record<string, unknown> = {}) =>
  client.callTool({ name, arguments: args });

const runIdOf = ({ _meta }: { _meta?: Record<string, unknown> | undefined }): string =>
  String(_meta?.['toolcrib/runId']);

describe.each(ERAS)('calling a flow in the %s era', (era) => {
  it('replies with the output of a short run, and the id of the run', async () => {
    const { crib, client } = await opened();
    const reply = await start(await client(era), 'flow_twice', { text: 'hi' });
    expect(reply.structuredContent).toEqual({ both: { text: 'hi' } });
    expect(textOf(reply)).toBe('{"both":{"text":"hi"}}');
    expect(reply._meta).toMatchObject({ 'toolcrib/status': 'completed' });
    expect(await crib.flows.get(runIdOf(reply))).toMatchObject({
      flow: 'twice',
      caller: { agentId: 'mcp' },
    });
    expect(await crib.audit.query({ tool: 'echo' })).toHaveLength(2);
  });

  it('refuses input that does not fit, and starts nothing', async () => {
    const { crib, client } = await opened();
    const reply = await start(await client(era), 'flow_twice', { text: 7, more: 1 });
    expect([reply.isError, textOf(reply)]).toEqual([
      true,
      expect.stringContaining('; text: must be string'),
    ]);
    expect(await crib.flows.list()).toEqual([]);
  });

  it('says why a run failed', async () => {
    const { crib, client } = await opened();
    const run = () => Promise.reject(new Error('no luck'));
    crib.flows.register(defineFlow({ name: 'fails', version: '1.0.0', run }));
    const reply = await start(await client(era), 'flow_fails');
    expect([reply.isError, textOf(reply)]).toEqual([true, expect.stringContaining('no luck')]);
    expect(reply._meta).toMatchObject({ 'toolcrib/status': 'failed' });
  });

  it('does not keep a client waiting for a run that sleeps; its end is read as a resource', async () => {
    const { crib, client } = await opened();
    const connected = await client(era);
    const reply = await start(connected, 'flow_sleeper', { a: 1 });
    expect(textOf(reply)).toContain('It sleeps until 2026-01-15T12:01:00');
    const link = (reply.content as { uri?: string }[]).find((block) => block.uri !== undefined);
    const uri = String(link?.uri);
    const read = async () => {
      const [content] = (await connected.readResource({ uri })).contents;
      return JSON.parse((content as { text: string }).text) as Record<string, unknown>;
    };
    expect(await read()).toMatchObject({ runId: runIdOf(reply), status: 'sleeping' });
    await crib.runtime.advance(62_000);
    expect(await read()).toMatchObject({
      status: 'completed',
      output: { slept: true, input: { a: 1 } },
    });
  });

  it('hands a long output over in pages', async () => {
    const { crib, client } = await opened();
    const run = async () => 'x'.repeat(150_000);
    crib.flows.register(defineFlow({ name: 'long', version: '1.0.0', run }));
    const connected = await client(era);
    const reply = await start(connected, 'flow_long');
    expect(textOf(reply).length).toBeLessThan(10_000);
    const uri = `toolcrib://runs/${runIdOf(reply)}?offset=100000&limit=100000`;
    const [page] = (await connected.readResource({ uri })).contents;
    expect((page as { text: string }).text).toMatch(/^x{50000,}"\}$/);
  });

  it('names the approval that a run waits for, where the client cannot ask', async () => {
    const { crib, client } = await opened();
    const reply = await start(await client(era), 'flow_asker');
    const [question] = await crib.approvals.list();
    expect(textOf(reply)).toContain(`toolcrib approvals approve ${question?.id}`);
    expect(reply.isError).toBeFalsy();
  });

  it('counts the steps for a client that brought a progress token', async () => {
    const { client } = await opened();
    const seen: unknown[] = [];
    const connected = await client(era);
    const call = { name: 'flow_twice', arguments: { text: 'hi' } };
    await connected.callTool(call, { onprogress: (progress) => seen.push(progress) });
    expect(seen.at(-1)).toMatchObject({ progress: 2, total: 2 });
  });

  it('starts one run for one idempotency key', async () => {
    const { crib, client } = await opened();
    const connected = await client(era);
    const call = {
      name: 'flow_twice',
      arguments: { text: 'hi' },
      _meta: { 'toolcrib/idempotencyKey': 'k' },
    };
    const replies = [await connected.callTool(call), await connected.callTool(call)];
    expect(runIdOf(replies[0] ?? {})).toBe(runIdOf(replies[1] ?? {}));
    expect(await crib.flows.list()).toHaveLength(1);
  });
});

it('a flow asks the person behind a client that can show forms, and continues', async () => {
  const { client, crib } = await opened();
  const asked: string[] = [];
  const connected = await client('legacy', ({ message }) => {
    asked.push(message);
    return { action: 'accept', content: { approve: true } };
  });
  const replying = start(connected, 'flow_asker');
  await expect.poll(() => asked.length).toBe(1);
  await expect.poll(async () => (await crib.approvals.list()).length).toBe(0);
  await crib.runtime.advance(2_000);
  const reply = await replying;
  expect(reply.structuredContent).toMatchObject({ approved: true });
  expect(asked).toEqual([expect.stringContaining('Go on?')]);
});

it('a flow continues its run when the client has hung up', async () => {
  const { client, crib } = await opened();
  let release: (value: string) => void = () => undefined;
  const held = new Promise<string>((resolve) => {
    release = resolve;
  });
  crib.flows.register(
    defineFlow({
      name: 'held',
      version: '1.0.0',
      run: (flow) => flow.value('v', () => held),
    }),
  );
  const connected = await client('legacy');
  const failing = expect(start(connected, 'flow_held')).rejects.toThrow();
  await crib.runtime.advance(100);
  expect(await crib.flows.list()).toHaveLength(1);
  await connected.close();
  await failing;
  release('done');
  const [run] = await crib.flows.list();
  expect(await crib.flows.finished(String(run?.id))).toMatchObject({ status: 'completed' });
});

it('a request that its client withdraws cancels its run', async () => {
  const { client, crib } = await opened();
  crib.flows.register(
    defineFlow({
      name: 'held',
      version: '1.0.0',
      run: (flow) => flow.value('v', () => new Promise(() => undefined)),
    }),
  );
  const connected = await client('legacy');
  const leaving = new AbortController();
  const call = connected.callTool({ name: 'flow_held', arguments: {} }, { signal: leaving.signal });
  const failing = expect(call).rejects.toThrow();
  await crib.runtime.advance(100);
  expect(await crib.flows.list()).toHaveLength(1);
  leaving.abort('changed my mind');
  await failing;
  await expect.poll(async () => (await crib.flows.list())[0]?.status).toBe('cancelled');
});

it('a list of tools applies to flows and to their steps', async () => {
  const caller = (list: readonly string[]) => ({
    caller: { userId: 'u', tools: list, permissions: list.map((name) => `tool:${name}`) },
  });
  const off = await opened(caller(['echo']));
  const refused = await start(await off.client('legacy'), 'flow_twice', { text: 'a' });
  expect(refused).toMatchObject({
    isError: true,
    _meta: { 'toolcrib/code': 'PERMISSION_DENIED' },
  });
  expect((await (await off.client('legacy')).listTools()).tools.map(({ name }) => name)).toEqual([
    'echo',
  ]);
  expect(await off.crib.flows.list()).toEqual([]);
  await off.close();
  const on = await opened(caller(['flow_twice']));
  const denied = await start(await on.client('legacy'), 'flow_twice', { text: 'a' });
  expect([denied.isError, textOf(denied)]).toEqual([
    true,
    expect.stringContaining('not on its list'),
  ]);
  await on.close();
  const both = await opened(caller(['flow_twice', 'echo']));
  const done = await start(await both.client('legacy'), 'flow_twice', { text: 'a' });
  expect(done.structuredContent).toEqual({ both: { text: 'a' } });
});

it('flows of a client over HTTP run as the identity of its token', async () => {
  const { surface, crib } = await opened();
  for (const era of ERAS) {
    const bob = await httpClient(surface, era, { user: 'bob' });
    const reply = await start(bob, 'flow_twice', { text: 'hi' });
    expect(await crib.flows.get(runIdOf(reply))).toMatchObject({ caller: { userId: 'bob' } });
    await bob.close();
  }
});
