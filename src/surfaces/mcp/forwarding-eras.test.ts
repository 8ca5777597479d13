/** Real servers of both protocol eras behind the crib, and clients of both eras before it. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type SomeServers,
  someServers,
  someSettings,
} from '../../../test/fixtures/mcp-servers/some-servers.ts';
import {
  ERAS,
  openSurface,
  type SampleAnswer,
  type TestSurface,
  textOf,
} from '../../../test/fixtures/mcp-surface.ts';
import { serverPrompts, serverResources } from './lists/server-resources.ts';
import { loadSdk } from './load-sdk.ts';

const LONG = 120_000;
const MODERN = join(import.meta.dirname, '../../../test/fixtures/mcp-servers/modern-server.mjs');
const pack = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/package.json',
);
const EVERYTHING = join(dirname(pack), 'dist/index.js');

let behind: SomeServers;
let open: TestSurface;
const start = async (program: string) => {
  const settings = someSettings({ name: 'real', args: [program], sampling: true });
  behind = await someServers([{ ...settings, startTimeoutMs: 60_000 }]);
  open = await openSurface((await behind.sources[0]?.load()) ?? [], {
    resources: [serverResources(behind.servers, await loadSdk())],
    prompts: [serverPrompts(behind.servers)],
  });
};
afterEach(async () => {
  await open.close();
  await behind.end();
});

describe.each(ERAS)('for a client of the %s era', { timeout: LONG }, (era) => {
  it('a server of 2026-07-28 asks its question by the reply, and the person is asked', async () => {
    await start(MODERN);
    const client = await open.client(era, () => ({ action: 'accept', content: { name: 'Ada' } }));
    expect(textOf(await client.callTool({ name: 'greet', arguments: {} }))).toBe('Hello Ada');
    const alone = await open.client(era, () => ({ action: 'decline' }));
    const refused = await alone.callTool({ name: 'greet', arguments: {} });
    expect(refused.isError).toBe(true);
  });

  it('the everything server asks person and model, and hands on what it has', async () => {
    await start(EVERYTHING);
    const sample = vi.fn<SampleAnswer>(() => 'sampled words');
    const client = await open.client(era, () => ({ action: 'decline' }), sample);
    const { tools } = await client.listTools();
    const has = (name: string): boolean => tools.some((tool) => tool.name === name);
    expect(has('trigger-sampling-request')).toBe(true);
    const sampled = await client.callTool({
      name: 'trigger-sampling-request',
      arguments: { prompt: 'Say it', maxTokens: 10 },
    });
    expect(textOf(sampled)).toContain('sampled words');
    expect(has('trigger-elicitation-request')).toBe(true);
    const asked = await client.callTool({ name: 'trigger-elicitation-request', arguments: {} });
    expect(textOf(asked)).toContain('declined');
    const links = await client.callTool({ name: 'get-resource-links', arguments: { count: 2 } });
    const link = links.content.find(({ type }) => type === 'resource_link') as { uri: string };
    const { contents } = await client.readResource({ uri: link.uri });
    expect(contents).toHaveLength(1);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.length).toBeGreaterThan(0);
    const { prompts } = await client.listPrompts();
    const completable = prompts.find(({ name }) => name.includes('completable'));
    const completed = await client.complete({
      ref: { type: 'ref/prompt', name: completable?.name ?? '' },
      argument: { name: 'department', value: 'E' },
    });
    expect(completed.completion.values).toContain('Engineering');
  });
});
