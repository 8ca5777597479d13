/** What a server behind the crib has besides tools, as a client of the surface gets it. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../test/fixtures/eventually.ts';
import {
  type SomeServers,
  someServers,
  someSettings,
} from '../../../test/fixtures/mcp-servers/some-servers.ts';
import { ERAS, openSurface, type TestSurface, textOf } from '../../../test/fixtures/mcp-surface.ts';
import { serverPrompts, serverResources } from './lists/server-resources.ts';
import { loadSdk } from './load-sdk.ts';

const PROGRAM = join(
  import.meta.dirname,
  '../../../test/fixtures/mcp-servers/forwarding-server.mjs',
);
const NOTE = 'toolcrib://servers/notes/note%3A%2F%2F%2Fa%3Fb%23c';

let behind: SomeServers;
let open: TestSurface;
beforeEach(async () => {
  behind = await someServers([someSettings({ name: 'notes', args: [PROGRAM] })]);
  const tools = await behind.sources[0]?.load();
  open = await openSurface(tools ?? [], {
    resources: [serverResources(behind.servers, await loadSdk())],
    prompts: [serverPrompts(behind.servers)],
  });
});
afterEach(async () => {
  await open.close();
  await behind.end();
});

describe('questions of a server behind the crib', { timeout: 30_000 }, () => {
  it.each(ERAS)(
    'reach the person behind the client that made the call, and say who asks (%s)',
    async (era) => {
      const asked: string[] = [];
      const client = await open.client(era, ({ message }) => {
        asked.push(message);
        return { action: 'accept', content: { city: 'Bonn' } };
      });
      const reply = await client.callTool({ name: 'ask_person', arguments: {} });
      expect(JSON.parse(textOf(reply))).toMatchObject({
        action: 'accept',
        content: { city: 'Bonn' },
      });
      expect(asked).toEqual([expect.stringMatching(/MCP server "notes" asks .*Which city\?/s)]);
    },
  );

  it.each(ERAS)('are declined with the reason where the client cannot ask (%s)', async (era) => {
    const client = await open.client(era);
    const reply = await client.callTool({ name: 'ask_person', arguments: {} });
    expect(JSON.parse(textOf(reply))).toMatchObject({
      action: 'decline',
      _meta: { 'toolcrib/reason': expect.stringContaining('nobody can be asked') },
    });
  });

  it('threat: the question is put to neither client while calls of two clients run', async () => {
    const asked: string[] = [];
    const answer = ({ message }: { message: string }) => {
      asked.push(message);
      return { action: 'accept' as const, content: { city: 'Bonn' } };
    };
    const [one, two] = [await open.client('legacy', answer), await open.client('legacy', answer)];
    const replies = await Promise.all(
      [one, two].map((client) => client.callTool({ name: 'ask_person', arguments: {} })),
    );
    const declined = replies.filter((reply) => textOf(reply).includes('several calls'));
    expect(declined.length).toBeGreaterThan(0);
    expect(asked.length).toBe(replies.length - declined.length);
  });

  it.each(ERAS)('a request for sampling is refused by name (%s)', async (era) => {
    const client = await open.client(era, undefined, () => 'hi');
    const reply = await client.callTool({ name: 'ask_model', arguments: {} });
    expect(textOf(reply)).toContain('Sampling is refused: the user allows it per server');
  });
});

describe('resources and prompts of a server behind the crib', { timeout: 30_000 }, () => {
  it('come with their titles', async () => {
    const client = await open.client('legacy');
    const { resources } = await client.listResources();
    expect(resources.find(({ uri }) => uri === NOTE)).toMatchObject({ title: 'The note' });
    const { prompts } = await client.listPrompts();
    expect(prompts.find(({ name }) => name === 'notes.greet')).toMatchObject({
      title: 'A greeting',
    });
  });

  it.each(['legacy', 'modern'] as const)(
    'templates can be filled in and read (%s)',
    async (era) => {
      const client = await open.client(era);
      const { resourceTemplates } = await client.listResourceTemplates();
      const template = resourceTemplates.find(({ title }) => title === 'Notes');
      const { UriTemplate } = await loadSdk();
      const filled = new UriTemplate(String(template?.uriTemplate));
      const uri = filled.expand({ folder: 'a b', name: '../x?y' });
      const { contents } = await client.readResource({ uri });
      expect(contents).toMatchObject([{ text: 'read note:///a%20b/..%2Fx%3Fy' }]);
    },
  );

  it('arguments of prompts and variables of templates are completed by the server', async () => {
    const client = await open.client('legacy');
    const { resourceTemplates } = await client.listResourceTemplates();
    const uri = String(resourceTemplates.find(({ title }) => title === 'Notes')?.uriTemplate);
    const argument = { name: 'folder', value: 'a' };
    const template = await client.complete({ ref: { type: 'ref/resource', uri }, argument });
    expect(template.completion.values).toEqual(['note:///{folder}/{name}:folder:a:{}']);
    const prompt = await client.complete({
      ref: { type: 'ref/prompt', name: 'notes.greet' },
      argument: { name: 'who', value: 'A' },
      context: { arguments: { x: 'y' } },
    });
    expect(prompt.completion.values).toEqual(['greet:who:A:{"x":"y"}']);
    const foreign = { ref: { type: 'ref/resource' as const, uri: 'file:///{x}' }, argument };
    expect((await client.complete(foreign)).completion.values).toEqual([]);
  });

  it('a link in a result can be read through the surface', async () => {
    const client = await open.client('legacy');
    const { content } = await client.callTool({ name: 'link', arguments: {} });
    expect(content).toMatchObject([{ type: 'resource_link', uri: NOTE }]);
    const { contents } = await client.readResource({ uri: NOTE });
    expect(contents).toMatchObject([{ uri: NOTE, text: 'read note:///a?b#c' }]);
  });

  it('updates reach a subscriber until it unsubscribes, and no other client', async () => {
    const [one, two] = [await open.client('legacy'), await open.client('legacy')];
    const heard = { one: vi.fn(), two: vi.fn() };
    one.setNotificationHandler('notifications/resources/updated', heard.one);
    two.setNotificationHandler('notifications/resources/updated', heard.two);
    await one.subscribeResource({ uri: NOTE });
    await one.callTool({ name: 'change', arguments: {} });
    await eventually(() => expect(heard.one).toHaveBeenCalledTimes(1));
    expect(heard.one.mock.calls[0]?.[0]).toMatchObject({ params: { uri: NOTE } });
    await one.unsubscribeResource({ uri: NOTE });
    await eventually(() => expect(behind.servers.logs('notes').join()).toContain('unsubscribed'));
    const after = await one.callTool({ name: 'change', arguments: {} });
    expect(textOf(after)).toBe('');
    expect(heard.one).toHaveBeenCalledTimes(1);
    expect(heard.two).not.toHaveBeenCalled();
  });

  it('a client that leaves ends its subscriptions at the server', async () => {
    const client = await open.client('legacy');
    await client.subscribeResource({ uri: NOTE });
    await client.close();
    await eventually(() => expect(behind.servers.logs('notes').join()).toContain('unsubscribed'));
  });

  it('changes of the lists are sent to clients', async () => {
    const changed: string[] = [];
    const stop = behind.servers.watch((list) => changed.push(list));
    const client = await open.client('legacy');
    await client.callTool({ name: 'change', arguments: {} });
    await eventually(() => expect(changed.sort()).toEqual(['prompts', 'resources']));
    stop();
  });
});

it('progress without a total arrives at the client with each step', async () => {
  const client = await open.client('legacy');
  const steps: { progress: number; message?: string | undefined }[] = [];
  await client.callTool(
    { name: 'count', arguments: {} },
    { onprogress: ({ progress, message }) => steps.push({ progress, message }) },
  );
  await eventually(() => expect(steps).toHaveLength(3));
  expect(steps.map(({ message }) => message)).toEqual(['step 1', 'step 2', 'step 3']);
  expect(steps.map(({ progress }) => progress)).toEqual(
    steps.map(({ progress }) => progress).toSorted((a, b) => a - b),
  );
});
