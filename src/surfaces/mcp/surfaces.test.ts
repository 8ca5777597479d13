import { InMemoryTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { ERAS, openSurface, type TestSurface, textOf } from '../../../test/fixtures/mcp-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { Servers } from '../../contract/servers.ts';
import { countTokens } from '../../registry/model-view.ts';
import { serverPrompts, serverResources } from './lists/server-resources.ts';
import { loadSdk } from './load-sdk.ts';

let open: TestSurface | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

const echo = aTool({ description: 'Says again what it was told.' });

describe.each(ERAS)('the search surface in the %s era', (era) => {
  it('finds, describes and calls a tool', async () => {
    open = await openSurface(
      [echo, aTool({ name: 'weather', description: 'Tells the weather.' })],
      {
        surface: 'search',
      },
    );
    const client = await open.client(era);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(['call_tool', 'describe_tool', 'search_tools']);
    const found = await client.callTool({ name: 'search_tools', arguments: { query: 'weather' } });
    expect(found.structuredContent).toMatchObject({
      tools: [{ name: 'weather', tier: 'read_only' }],
    });
    const told = await client.callTool({ name: 'describe_tool', arguments: { name: 'echo' } });
    expect(told.structuredContent).toMatchObject({ name: 'echo', input: { type: 'object' } });
    const args = { name: 'echo', input: { text: 'hello' } };
    const reply = await client.callTool({ name: 'call_tool', arguments: args });
    expect(reply.structuredContent).toEqual({ text: 'hello' });
    const rows = await open.crib.audit.query({ tool: 'echo' });
    expect(rows).toHaveLength(1);
  });

  it('names a field that call_tool does not have, and calls nothing', async () => {
    open = await openSurface([echo], { surface: 'search' });
    const client = await open.client(era);
    const reply = await client.callTool({
      name: 'call_tool',
      arguments: { name: 'echo', arguments: { text: 'hello' } },
    });
    expect([reply.isError, textOf(reply)]).toEqual([
      true,
      expect.stringMatching(/arguments: is not known; known are name, input/),
    ]);
    expect(await open.crib.audit.query({ tool: 'echo' })).toEqual([]);
  });

  it('does not call tools by name that it does not list, and shows no disabled tools', async () => {
    open = await openSurface([echo, aTool({ name: 'hidden' })], { surface: 'search' });
    open.crib.tools.setEnabled('hidden', false);
    const client = await open.client(era);
    await expect(client.callTool({ name: 'echo', arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
    const found = await client.callTool({ name: 'search_tools', arguments: { query: 'hidden' } });
    expect(JSON.stringify(found)).not.toContain('"hidden"');
    const told = await client.callTool({ name: 'describe_tool', arguments: { name: 'hidden' } });
    expect(textOf(told)).toContain('TOOL_NOT_FOUND');
    const bad = await client.callTool({ name: 'search_tools', arguments: { query: 7 } });
    expect([bad.isError, textOf(bad)]).toEqual([true, expect.stringContaining('- query: ')]);
  });
});

it('the search surface takes at most 1,000 tokens of a prompt for 1,000 tools', async () => {
  const many = Array.from({ length: 1000 }, (_, at) =>
    aTool({ name: `tool_${at}`, description: `Does thing number ${at} for whoever needs it.` }),
  );
  open = await openSurface([], { surface: 'search' });
  open.crib.tools.registerAll([...many, aTool({ name: 'read_result' })]);
  const client = await open.client('modern');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('read_result');
  expect(await countTokens(tools as unknown as Record<string, unknown>)).toBeLessThan(1000);
});

it('the code surface lists only the search and the program', async () => {
  open = await openSurface([echo, aTool({ name: 'run_code' })], { surface: 'code' });
  const client = await open.client('modern');
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
    'run_code',
    'search_tools',
  ]);
  const reply = await client.callTool({ name: 'run_code', arguments: { code: '1' } });
  expect(reply.structuredContent).toEqual({ code: '1' });
  await expect(client.callTool({ name: 'call_tool', arguments: {} })).rejects.toMatchObject({
    code: -32602,
  });
});

describe('the search of the code surface', () => {
  const named = (name: string) =>
    aTool({ name, description: `Calls ${name === 'run_code' ? 'search_api' : 'nothing'}.` });

  it('returns schemas, and no text of the surface names a tool that is not there', async () => {
    open = await openSurface([echo, named('run_code'), named('read_result')], { surface: 'code' });
    const client = await open.client('modern');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['read_result', 'run_code', 'search_tools']);
    const said = [...tools.map((tool) => tool.description), client.getInstructions()].join('\n');
    expect(said).not.toMatch(/search_api|describe_tool|call_tool/);
    const query = { query: echo.description };
    const reply = await client.callTool({ name: 'search_tools', arguments: query });
    const { tools: found } = reply.structuredContent as { tools: { input?: object }[] };
    expect(found[0]?.input).toMatchObject({ type: 'object' });
  });

  it('is answered by the tool that declares functions, through the pipeline', async () => {
    open = await openSurface([named('run_code'), named('search_api')], { surface: 'code' });
    const client = await open.client('modern');
    const query = { query: 'add numbers' };
    const reply = await client.callTool({ name: 'search_tools', arguments: query });
    expect(reply.structuredContent).toEqual(query);
    const { audit } = await open.crib.store();
    expect((await audit.query({ tool: 'search_api' })).length).toBeGreaterThan(0);
    const direct = client.callTool({ name: 'search_api', arguments: query });
    await expect(direct).rejects.toMatchObject({ code: -32602 });
  });
});

describe('changes of the crib', () => {
  it('are sent once for many, to clients of the 2025 protocols', async () => {
    open = await openSurface([echo]);
    const client = await open.client('legacy');
    let told = 0;
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      told += 1;
    });
    open.crib.tools.registerAll([aTool({ name: 'one' }), aTool({ name: 'two' })]);
    await open.crib.tools.unregister('one');
    await open.crib.runtime.advance(1000);
    await expect.poll(() => told, { timeout: 20_000 }).toBe(1);
  });

  it('of the record are sent to subscribers', async () => {
    open = await openSurface([echo]);
    const client = await open.client('legacy');
    const heard: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      heard.push(params.uri);
    });
    await client.callTool({ name: 'echo', arguments: {} });
    await open.crib.runtime.advance(2000);
    await client.subscribeResource({ uri: 'toolcrib://audit/recent' });
    await client.callTool({ name: 'echo', arguments: {} });
    await open.crib.runtime.advance(2000);
    await expect.poll(() => heard, { timeout: 20_000 }).toEqual(['toolcrib://audit/recent']);
  });
});

it('a request whose id is in use is refused: answers cannot be told apart', async () => {
  let finish: () => void = () => undefined;
  const slow = aTool({
    name: 'slow',
    run: () =>
      new Promise((resolve) => {
        finish = () => resolve('done');
      }),
  });
  open = await openSurface([slow]);
  const [there, here] = InMemoryTransport.createLinkedPair();
  const got: { id?: unknown; result?: unknown; error?: { message: string } }[] = [];
  here.onmessage = (message) => void got.push(message as never);
  await here.start();
  await open.surface.connect(there);
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow' } } as const;
  const info = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  };
  await here.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: info });
  await expect.poll(() => got.length, { timeout: 20_000 }).toBe(1);
  await here.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await here.send(call);
  await here.send(call);
  await expect.poll(() => got[1]?.error?.message, { timeout: 20_000 }).toMatch('in use');
  await expect.poll(() => finish.name, { timeout: 20_000 }).toBe('finish');
  finish();
  await expect.poll(() => got[2]?.result, { timeout: 20_000 }).toBeDefined();
  expect(got).toHaveLength(3);
});

describe('resources and prompts of connected servers', () => {
  const status = (name: string) => ({ name }) as ReturnType<Servers['list']>[number];
  const servers = {
    list: () => [status('one'), status('two')],
    resources: async () => [
      { server: 'one', uri: 'file:///a?b#c', name: 'A' },
      { server: 'two', uri: 'file:///a?b#c', name: 'A' },
    ],
    readResource: async (server: string, uri: string) => [{ uri, text: `${server} has ${uri}` }],
    templates: async () => [],
    watch: () => () => undefined,
    prompts: async () => [
      { server: 'one', name: 'greet', arguments: [] },
      { server: 'two', name: 'greet', arguments: [] },
    ],
    getPrompt: async (server: string) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `from ${server}` } }],
    }),
  } as unknown as Servers;

  it('are kept apart by server', async () => {
    open = await openSurface([], {
      resources: [serverResources(servers, await loadSdk())],
      prompts: [serverPrompts(servers)],
    });
    const client = await open.client('modern');
    const uris = (await client.listResources()).resources.map(({ uri }) => uri);
    const theirs = uris.filter((uri) => uri.startsWith('toolcrib://servers/'));
    expect(new Set(theirs).size).toBe(2);
    const { contents } = await client.readResource({ uri: String(theirs[1]) });
    expect(contents).toMatchObject([{ uri: theirs[1], text: 'two has file:///a?b#c' }]);
    const names = (await client.listPrompts()).prompts.map(({ name }) => name);
    expect(names).toEqual(['one.greet', 'review_pending', 'two.greet']);
    const prompt = await client.getPrompt({ name: 'two.greet' });
    expect(prompt.messages[0]?.content).toMatchObject({ text: 'from two' });
  });

  it('cannot be reached by a made-up address, and those of a server that fails are left out', async () => {
    const failing = { ...servers, resources: () => Promise.reject(new Error('down')) };
    open = await openSurface([], {
      resources: [serverResources(failing as Servers, await loadSdk())],
    });
    const client = await open.client('modern');
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['toolcrib://audit/recent']);
    for (const uri of [
      'toolcrib://servers/three/x',
      'toolcrib://servers/one',
      'toolcrib://servers/one/x/y',
      'toolcrib://servers/%E0%A4%A/x',
    ]) {
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
    }
  });
});

it('the prompt review_pending lists calls of this client that wait, and no others', async () => {
  open = await openSurface([aTool({ name: 'deploy', tier: 'execute' })], { approvals: 'inbox' });
  const client = await open.client('modern');
  await client.callTool({ name: 'deploy', arguments: { to: 'here' } });
  await open.crib.execute('deploy', { to: 'elsewhere' }, { agentId: 'other' });
  const { messages } = await client.getPrompt({ name: 'review_pending' });
  expect(JSON.stringify(messages)).toContain('here');
  expect(JSON.stringify(messages)).not.toContain('elsewhere');
  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'review_pending' },
    argument: { name: 'approvalId', value: 'appr' },
  });
  expect(completion.values).toHaveLength(1);
  await expect(client.getPrompt({ name: 'unknown' })).rejects.toMatchObject({ code: -32602 });
});

it('the cause of an unexpected failure is not sent to the client', async () => {
  const shelf = {
    label: 'broken',
    list: async () => [],
    read: () => Promise.reject(new Error('the password is hunter2')),
  };
  open = await openSurface([], { resources: [shelf] });
  const client = await open.client('modern');
  const failure = await client.readResource({ uri: 'x://y' }).catch((error: Error) => error);
  expect(String((failure as Error).message)).not.toContain('hunter2');
  expect(JSON.stringify(open.crib.runtime.logged)).toContain('hunter2');
});
