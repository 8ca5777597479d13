import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeRuntime, fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import type { ReadyTool } from '../../contract/call.ts';
import { defineTool } from '../../contract/define-tool.ts';
import type { Source } from '../../contract/source.ts';
import type { Tool, ToolDefinition, ToolSource } from '../../contract/tool.ts';
import { createRegistry, type Registry } from '../registry.ts';

const tool = (name: string, more: Partial<ToolDefinition<never, unknown>> = {}): Tool =>
  defineTool({
    name,
    description: `Does ${name}.`,
    tier: 'read_only',
    input: { type: 'object' },
    run: () => name,
    ...more,
  } as ToolDefinition<unknown, unknown>);

const source = (kind: ToolSource, label: string, tools: readonly Tool[]): Source => ({
  kind,
  label,
  load: async () => tools,
});

let runtime: FakeRuntime;
let registry: Registry;
beforeEach(() => {
  runtime = fakeRuntime();
  registry = createRegistry({ runtime });
});

describe('load', () => {
  it('puts tools on the families in the order of sources, whatever order they are given in', async () => {
    const reports = await registry.load([
      source('custom', 'custom', [tool('search')]),
      source('mcp', 'mcp:github', [tool('search'), tool('issues')]),
      source('builtin', 'builtin', [tool('search')]),
    ]);
    expect(reports).toEqual([
      { source: 'builtin', loaded: 1, renamed: [], refused: [] },
      {
        source: 'mcp:github',
        loaded: 2,
        renamed: [{ from: 'search', to: 'mcp:github:search' }],
        refused: [],
      },
      {
        source: 'custom',
        loaded: 1,
        renamed: [{ from: 'search', to: 'custom:search' }],
        refused: [],
      },
    ]);
    expect(registry.loads).toEqual(reports);
    expect(registry.get('search')?.tool.source).toBe('builtin');
    expect(registry.get('mcp:github:search')).toMatchObject({
      renamedFrom: 'search',
      tool: { source: 'mcp' },
    });
    expect(runtime.logged.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('continues when a source throws, does not answer or returns nonsense', async () => {
    const reports = await registry.load([
      {
        kind: 'mcp',
        label: 'throws',
        load: () => {
          throw new Error('no server');
        },
      },
      { kind: 'mcp', label: 'rejects', load: () => Promise.reject(new Error('timed out')) },
      { kind: 'mcp', label: 'nonsense', load: () => Promise.resolve('tools' as never) },
      source('custom', 'mine', [tool('a'), { name: 'b' } as Tool, null as never, tool('c')]),
    ]);
    expect(reports.map(({ source: label, loaded, error }) => [label, loaded, error])).toEqual([
      ['throws', 0, 'no server'],
      ['rejects', 0, 'timed out'],
      ['nonsense', 0, 'the source did not answer with a list of tools'],
      ['mine', 2, undefined],
    ]);
    expect(reports[3]?.refused.map((refusal) => refusal.tool)).toEqual(['b', '?']);
    expect(registry.list()).toHaveLength(2);
  });

  it('refuses a tool when the name with the label is taken too', async () => {
    registry.registerAll([tool('a'), tool('x:a')]);
    const [report] = await registry.load([source('mcp', 'x', [tool('a'), tool('b'), tool('b')])]);
    expect(report).toMatchObject({ loaded: 1, renamed: [] });
    expect(report?.refused).toEqual([
      { tool: 'a', reason: 'the names a and x:a are taken' },
      { tool: 'b', reason: 'it is listed twice' },
    ]);
  });

  it('makes a usable name of an odd label', async () => {
    registry.register(tool('a'));
    await registry.load([source('mcp', '«my server»', [tool('a')])]);
    expect(registry.get('my-server:a')).toBeDefined();
  });

  it('brings several versions of one name', async () => {
    const versions = ['1.0.0', '2.0.0'].map((version) => tool('a', { version }));
    const [report] = await registry.load([source('package', 'p', versions)]);
    expect(report).toMatchObject({ loaded: 2, renamed: [] });
    expect(registry.versions('a')).toHaveLength(2);
  });

  it('keeps a renamed tool working, class and private fields included', async () => {
    class Counter {
      readonly name = 'a';
      readonly version = '1.0.0';
      readonly description = 'Counts.';
      readonly source = 'custom';
      readonly category = 'custom';
      readonly tier = 'read_only';
      readonly capabilities = [];
      readonly input = { type: 'object' };
      #count = 0;
      run(): number {
        this.#count += 1;
        return this.#count;
      }
    }
    registry.register(tool('a'));
    await registry.load([source('custom', 'mine', [new Counter()])]);
    const ready = (await registry.ready('mine:a')) as ReadyTool;
    expect([ready.tool.run({}, {} as never), ready.tool.run({}, {} as never)]).toEqual([1, 2]);
  });
});

describe('load again', () => {
  it('replaces what the source brought before and takes away what it no longer has', async () => {
    const cleanup = vi.fn(async () => undefined);
    let tools = [tool('a', { cleanup }), tool('b')];
    const live: Source = { kind: 'mcp', label: 'live', load: async () => tools };
    await registry.load([live]);
    await registry.ready('a');
    tools = [tool('a', { description: 'Newer.' }), tool('c')];
    await registry.load([live]);
    expect(registry.list().map((entry) => entry.tool.name)).toEqual(['a', 'c']);
    expect(registry.get('a')?.tool.description).toBe('Newer.');
    expect(cleanup).toHaveBeenCalledOnce();
    expect(registry.loads).toHaveLength(1);
  });

  it('keeps everything when the source fails this time', async () => {
    let fails = false;
    const load = async () => {
      if (fails) throw new Error('gone');
      return [tool('a')];
    };
    const live: Source = { kind: 'mcp', label: 'live', load };
    await registry.load([live]);
    fails = true;
    const [report] = await registry.load([live]);
    expect(report?.error).toBe('gone');
    expect(registry.has('a')).toBe(true);
  });
});

describe('close', () => {
  it('closes the sources, and one that fails does not stop the others', async () => {
    const close = vi.fn(async () => undefined);
    await registry.load([
      { ...source('mcp', 'bad', []), close: () => Promise.reject(new Error('stuck')) },
      { ...source('mcp', 'good', []), close },
    ]);
    await registry.close();
    expect(close).toHaveBeenCalledOnce();
    expect(runtime.logged.at(-1)?.fields).toEqual({ source: 'bad', reason: 'stuck' });
  });
});

describe('threat: shadowing of names', () => {
  const builtin = source('builtin', 'builtin', [
    tool('write_file', { aliases: ['file:write'] }),
    tool('web.scrape'),
  ]);

  it.each([
    ['the name, with a higher version', tool('write_file', { version: '99.0.0' })],
    ['an alias', tool('file:write')],
    ['a wire name', tool('web_scrape')],
  ])('lets no stranger take %s', async (_name, intruder) => {
    await registry.load([builtin, source('mcp', 'evil', [intruder])]);
    expect(registry.get(intruder.name)?.tool.source).toBe('builtin');
    expect(registry.get(`evil:${intruder.name}`)?.tool.source).toBe('mcp');
  });

  it('lets no tool pass itself off as built in', async () => {
    await registry.load([source('mcp', 'evil', [tool('a', { source: 'builtin' })])]);
    expect(registry.get('a')?.tool.source).toBe('mcp');
    expect(((await registry.ready('a')) as ReadyTool).labels.trust).toBe('untrusted');
  });
});
