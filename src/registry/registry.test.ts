import { beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type FakeRuntime, fakeRuntime } from '../../test/fixtures/fake-runtime.ts';
import type { ReadyTool } from '../contract/call.ts';
import { defineTool } from '../contract/define-tool.ts';
import type { Events } from '../contract/events.ts';
import type { Tool, ToolDefinition } from '../contract/tool.ts';
import { createRegistry, type Registry, type RegistryDeps } from './registry.ts';

const tool = (name: string, more: Partial<ToolDefinition<never, unknown>> = {}): Tool =>
  defineTool({
    name,
    description: `Does ${name}.`,
    tier: 'read_only',
    input: z.object({ a: z.number() }),
    run: () => 1,
    ...more,
  } as ToolDefinition<unknown, unknown>);

const failure = (code: string) => expect.objectContaining({ name: 'ToolFailure', code });

let runtime: FakeRuntime;
let registry: Registry;
const make = (deps: Partial<RegistryDeps> = {}): Registry => createRegistry({ runtime, ...deps });

beforeEach(() => {
  runtime = fakeRuntime();
  registry = make();
});

describe('register', () => {
  it('finds a tool by name, wire name and alias', () => {
    registry.register(tool('file.write', { aliases: ['file:write'] }));
    for (const name of ['file.write', 'file_write', 'file:write']) {
      expect(registry.get(name)?.tool.name).toBe('file.write');
      expect(registry.has(name)).toBe(true);
    }
    expect(registry.has('file')).toBe(false);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'has no tool named %s unless it is registered',
    (name) => {
      expect(registry.get(name)).toBeUndefined();
      expect(registry.ready(name)).toBeUndefined();
    },
  );

  it('throws CONFLICT for the same name and version, and keeps the first', () => {
    const first = tool('a');
    registry.register(first);
    expect(() => registry.register(tool('a', { source: 'mcp' }))).toThrow(failure('CONFLICT'));
    expect(registry.get('a')?.tool).toBe(first);
  });

  it.each([
    ['no name', { name: '' }],
    ['a name with a space', { name: 'a b' }],
    ['a version that is none', { version: '1.0' }],
    ['a version with a v', { version: 'v1.0.0' }],
    ['no run', { run: undefined }],
    ['an unknown tier', { tier: 'harmless' }],
    ['an unknown source', { source: 'elsewhere' }],
    ['an unknown category', { category: 'stuff' }],
    ['no input schema', { input: undefined }],
    ['an output schema that is none', { output: 'text' }],
    ['an alias that is no name', { aliases: ['a b'] }],
    ['no description', { description: undefined }],
  ])('throws CONFIG_INVALID for %s', (_name, fault) => {
    const broken = { ...tool('good'), ...fault } as unknown as Tool;
    expect(() => registry.register(broken)).toThrow(failure('CONFIG_INVALID'));
    expect(registry.list()).toEqual([]);
  });

  it('registers a list whole or not at all', () => {
    expect(() => registry.registerAll([tool('a'), tool('b'), tool('a')])).toThrow(
      failure('CONFLICT'),
    );
    expect(registry.list()).toEqual([]);
    registry.registerAll([tool('a'), tool('b')]);
    expect(registry.list().map((entry) => entry.tool.name)).toEqual(['a', 'b']);
  });

  it('emits an event', () => {
    const events = { has: () => true, emit: vi.fn(), on: () => () => undefined } as Events;
    const watched = make({ events });
    watched.register(tool('a', { version: '2.0.0' }));
    expect(events.emit).toHaveBeenCalledWith('tool.registered', { tool: 'a', version: '2.0.0' });
  });
});

describe('names', () => {
  it('lets no alias shadow a real name, whichever came first', () => {
    registry.register(tool('one', { aliases: ['two', 'three'] }));
    registry.register(tool('two'));
    expect(registry.get('two')?.tool.name).toBe('two');
    expect(registry.get('three')?.tool.name).toBe('one');
  });

  it('gives an alias to the first who claims it, and to the next when that one is gone', async () => {
    registry.registerAll([tool('a', { aliases: ['x'] }), tool('b', { aliases: ['x'] })]);
    expect(registry.get('x')?.tool.name).toBe('a');
    await registry.unregister('a');
    expect(registry.get('x')?.tool.name).toBe('b');
  });

  it('finds each tool by its wire name', () => {
    registry.registerAll([tool('a.b'), tool('a:b'), tool('a_b'), tool('c', { aliases: ['a-b'] })]);
    const entries = registry.list();
    expect(new Set(entries.map((entry) => entry.wireName)).size).toBe(4);
    expect(registry.get('a_b')?.tool.name).toBe('a_b');
    for (const { wireName, tool: shown } of entries) {
      expect(registry.get(wireName)?.tool).toBe(shown);
    }
  });

  it('suggests names that are close', () => {
    registry.registerAll([tool('read_file', { aliases: ['file:read'] }), tool('calculator')]);
    expect(registry.suggest('raed_file')).toEqual(['read_file']);
    expect(registry.suggest('file:raed')).toEqual(['file:read']);
    expect(registry.suggest('calculater')).toEqual(['calculator']);
    expect(registry.suggest('zzz')).toEqual([]);
    expect(registry.suggest('x'.repeat(1_000_000))).toEqual([]);
  });
});

describe('versions', () => {
  beforeEach(() => {
    registry.registerAll(['1.2.0', '1.10.0', '1.9.0'].map((version) => tool('a', { version })));
  });

  it('use the highest unless one is chosen', () => {
    expect(registry.get('a')?.tool.version).toBe('1.10.0');
    expect(registry.get('a', '1.2.0')?.tool.version).toBe('1.2.0');
    expect(registry.get('a', '9.0.0')).toBeUndefined();
    expect(registry.ready('a', '9.0.0')).toBeUndefined();
  });

  it('keep the chosen one when a newer one is registered', () => {
    registry.setActive('a', '1.9.0');
    registry.register(tool('a', { version: '2.0.0' }));
    expect(registry.get('a')?.tool.version).toBe('1.9.0');
    expect(registry.versions('a').map(({ version, active }) => [version, active])).toEqual([
      ['2.0.0', false],
      ['1.10.0', false],
      ['1.9.0', true],
      ['1.2.0', false],
    ]);
  });

  it('do not change to a pre-release by themselves', () => {
    registry.register(tool('a', { version: '2.0.0-beta.1' }));
    expect(registry.get('a')?.tool.version).toBe('1.10.0');
    registry.register(tool('only', { version: '0.1.0-rc.1' }));
    expect(registry.get('only')?.tool.version).toBe('0.1.0-rc.1');
  });

  it('run when they are deprecated, and the result says so', async () => {
    const before = (await registry.ready('a')) as ReadyTool;
    expect(before.deprecated).toBe(false);
    registry.deprecate('a', '1.10.0');
    expect(before.deprecated).toBe(true);
    expect(registry.get('a')).toMatchObject({ deprecated: true, tool: { version: '1.10.0' } });
    expect(registry.versions('a')[0]).toMatchObject({ version: '1.10.0', deprecated: true });
  });

  it('falls back to the highest left when the active one is removed', async () => {
    expect(await registry.unregister('a', '1.10.0')).toBe(true);
    expect(registry.get('a')?.tool.version).toBe('1.9.0');
    expect(await registry.unregister('a', '1.10.0')).toBe(false);
    expect(await registry.unregister('a')).toBe(true);
    expect(registry.has('a')).toBe(false);
    expect(registry.versions('a')).toEqual([]);
  });

  it('throws for names and versions that are not there', () => {
    expect(() => registry.setActive('a', '3.0.0')).toThrow(failure('NOT_FOUND'));
    expect(() => registry.deprecate('b', '1.0.0')).toThrow(failure('TOOL_NOT_FOUND'));
    expect(() => registry.setEnabled('b', false)).toThrow(failure('TOOL_NOT_FOUND'));
  });
});

describe('update', () => {
  it('replaces a version in place and cleans the old one up', async () => {
    const cleanup = vi.fn(async () => undefined);
    registry.register(tool('a', { cleanup, aliases: ['old'] }));
    registry.deprecate('a', '1.0.0');
    await registry.ready('a');
    await registry.update(tool('a', { description: 'New.', aliases: ['new'] }));
    expect(cleanup).toHaveBeenCalledOnce();
    expect(registry.get('a')).toMatchObject({ deprecated: true, tool: { description: 'New.' } });
    expect([registry.has('old'), registry.has('new')]).toEqual([false, true]);
    expect(registry.search('new')[0]?.entry.tool.description).toBe('New.');
  });

  it('throws when there is nothing to replace, an alias included', async () => {
    registry.register(tool('a', { aliases: ['b'] }));
    await expect(registry.update(tool('b'))).rejects.toThrow(failure('TOOL_NOT_FOUND'));
    await expect(registry.update(tool('a', { version: '2.0.0' }))).rejects.toThrow(
      failure('NOT_FOUND'),
    );
  });
});

describe('switches', () => {
  it('reads anew whether a tool is on, also on a call that is under way', async () => {
    registry.register(tool('a'));
    const ready = (await registry.ready('a')) as ReadyTool;
    expect(ready.enabled).toBe(true);
    registry.setEnabled('a', false);
    expect([ready.enabled, registry.get('a')?.enabled]).toEqual([false, false]);
    expect(registry.list({ enabled: false })).toHaveLength(1);
    expect(registry.list({ enabled: true })).toEqual([]);
    registry.setEnabled('a', true);
    expect(ready.enabled).toBe(true);
  });

  it('do not enable a tool that the configuration disables, and say so', () => {
    const held = make({ isEnabled: (name) => (name === 'a' ? false : undefined) });
    held.registerAll([tool('a'), tool('b')]);
    expect([held.get('a')?.enabled, held.get('b')?.enabled]).toEqual([false, true]);
    expect(() => held.setEnabled('a', true)).toThrow(failure('TOOL_DISABLED'));
    expect(held.get('a')?.enabled).toBe(false);
  });

  it('treat a configuration that throws as off', () => {
    const broken = make({
      isEnabled: () => {
        throw new Error('unreadable');
      },
    });
    broken.register(tool('a'));
    expect(broken.get('a')?.enabled).toBe(false);
  });
});

describe('list', () => {
  it('filters by every field', () => {
    registry.registerAll([
      tool('a', { source: 'mcp', category: 'search', tags: ['x', 'y'], version: '1.5.0' }),
      tool('b', {
        tier: 'write',
        tags: ['x'],
        capabilities: [{ action: 'delete', description: 'd' }],
      }),
      tool('c', { version: '3.0.0', capabilities: [{ action: 'read', description: 'r' }] }),
    ]);
    const names = (filter: Parameters<Registry['list']>[0]) =>
      registry.list(filter).map((entry) => entry.tool.name);
    expect(names({ source: ['mcp'] })).toEqual(['a']);
    expect(names({ category: ['search', 'api'] })).toEqual(['a']);
    expect(names({ tier: ['write'] })).toEqual(['b']);
    expect(names({ tags: ['x'] })).toEqual(['a', 'b']);
    expect(names({ tags: ['x', 'y'] })).toEqual(['a']);
    expect(names({ capabilities: ['delete', 'read'] })).toEqual(['b', 'c']);
    expect(names({ range: '>=1.2 <3' })).toEqual(['a']);
    expect(() => names({ range: 'nonsense' })).toThrow(failure('VALIDATION_ERROR'));
  });

  it('shows the highest version in a range where the active one is outside', () => {
    registry.registerAll(['1.0.0', '1.1.0', '2.0.0'].map((version) => tool('a', { version })));
    expect(registry.list({ range: '^1' }).map((entry) => entry.tool.version)).toEqual(['1.1.0']);
  });
});
