/** What servers behind the crib say, as it reaches a client of the surface; and servers that misbehave. */
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/fixtures/eventually.ts';
import {
  type SomeServers,
  someServers,
  someSettings,
} from '../../../test/fixtures/mcp-servers/some-servers.ts';
import { openSurface, type TestSurface, textOf } from '../../../test/fixtures/mcp-surface.ts';
import { serverResources } from './lists/server-resources.ts';
import { loadSdk } from './load-sdk.ts';

const PROGRAM = join(import.meta.dirname, '../../../test/fixtures/mcp-servers/content-server.mjs');
let behind: SomeServers;
let open: TestSurface;
const start = async (mode = '') => {
  const settings = someSettings({ name: 'things', args: [PROGRAM, mode] });
  behind = await someServers([{ ...settings, maxMessageBytes: 8_000_000 }]);
  const tools = (await behind.sources[0]?.load()) ?? [];
  open = await openSurface(tools, {
    resources: [serverResources(behind.servers, await loadSdk())],
  });
  return tools;
};
afterEach(async () => {
  await open.close();
  await behind.end();
});
const call = async (name: string) => {
  const client = await open.client('legacy');
  return client.callTool({ name, arguments: {} });
};

describe('content of a server behind the crib', { timeout: 30_000 }, () => {
  it('tools keep their titles and output schemas; icons and metadata stay away', async () => {
    await start();
    const client = await open.client('legacy');
    const { tools } = await client.listTools();
    const structured = tools.find(({ name }) => name === 'structured');
    expect(structured).toMatchObject({ title: 'Title of structured' });
    expect(JSON.stringify(structured?.outputSchema)).toContain('"n"');
    expect(JSON.stringify(tools)).not.toContain('tracker.example');
    expect(client.getInstructions()).not.toContain('tracker.example');
  });

  it('sounds and embedded resources arrive as they were sent, text as text', async () => {
    await start();
    const annotations = { audience: ['user'], priority: 0.5 };
    expect((await call('annotated')).content).toEqual([{ type: 'text', text: 'noted' }]);
    expect((await call('sound')).content).toMatchObject([{ type: 'audio', annotations }]);
    expect((await call('embedded')).content).toMatchObject([
      { type: 'resource', resource: { text: 'inside' } },
    ]);
  });

  it('structured content arrives; one that breaks its own schema is an error', async () => {
    await start();
    expect((await call('structured')).structuredContent).toEqual({ n: 1 });
    const untrue = await call('untrue');
    expect(untrue.isError).toBe(true);
    expect(untrue.structuredContent).toBeUndefined();
  });

  it('turns the failure that a server reports into an error with its message', async () => {
    await start();
    const wrong = await call('wrong');
    expect(wrong).toMatchObject({ isError: true });
    expect(textOf(wrong)).toContain('no such thing');
  });

  it('a large picture arrives whole, or as a sentence that says it is too large', async () => {
    await start();
    const { content } = await call('picture');
    const [block] = content as { type: string; data?: string; text?: string }[];
    if (block?.type === 'image') expect(block.data).toHaveLength(800_000);
    else expect(block?.text).toMatch(/too large|handle/);
    const client = await open.client('legacy');
    const { contents } = await client.readResource({
      uri: 'toolcrib://servers/things/note%3A%2F%2F%2Fa',
    });
    expect((contents[0] as { blob: string }).blob).toHaveLength(800_000);
  });

  it('threat: metadata of a server does not pass for that of Toolcrib', async () => {
    await start();
    expect(JSON.stringify((await call('meta'))._meta)).not.toContain('FORGED');
  });

  it('tools with odd names can be listed and called', async () => {
    await start();
    const client = await open.client('legacy');
    const { tools } = await client.listTools();
    for (const title of ['Title of weird/näme with spaces', 'Title of __proto']) {
      const name = tools.find((each) => each.title === title)?.name ?? '';
      expect(name).toMatch(/^[A-Za-z0-9_.:-]+$/);
      expect((await client.callTool({ name, arguments: {} })).isError).toBeUndefined();
    }
  });

  it('resources keep their title, size and annotations', async () => {
    await start();
    const client = await open.client('legacy');
    const { resources } = await client.listResources();
    const [, resource] = resources.toSorted((a, b) => a.uri.localeCompare(b.uri));
    expect(resource).toMatchObject({ title: 'A', size: 7, annotations: { priority: 0.5 } });
    expect(JSON.stringify(resources)).not.toContain('tracker.example');
  });
});

describe('a server that misbehaves', { timeout: 60_000 }, () => {
  it('threat: pages that lead back to themselves end', async () => {
    const tools = await start('loop');
    expect(tools.length).toBeGreaterThan(0);
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
  });

  it('threat: pages without end are given up', async () => {
    const tools = await start('growing').catch((error: unknown) => error);
    expect(behind.servers.logs('things').length).toBeLessThan(200);
    expect(Array.isArray(tools) ? tools.length : 0).toBeLessThanOrEqual(5000);
    if (!Array.isArray(tools)) open = await openSurface([]);
  });

  it('threat: a list of 50,000 tools is cut', async () => {
    const tools = await start('huge');
    expect(tools.length).toBeLessThanOrEqual(5000);
  });

  it('threat: a tool that renames itself with each listing is not called under its old name', async () => {
    await start('renaming');
    const client = await open.client('legacy');
    const { tools } = await client.listTools();
    const name = tools[0]?.name ?? '';
    await client.callTool({ name, arguments: {} });
    await eventually(() => expect(behind.servers.logs('things').join()).toContain('"listed":2'));
    await eventually(async () => {
      const again = await client.callTool({ name, arguments: {} });
      expect(textOf(again)).toContain('TOOL_QUARANTINED');
    });
  });
});
