import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fakeRuntime } from '../../test/fixtures/fake-runtime.ts';
import type { ModelProvider } from '../contract/catalog.ts';
import { defineTool } from '../contract/define-tool.ts';
import type { SchemaSource } from '../contract/schema.ts';
import type { Tool, ToolSource } from '../contract/tool.ts';
import { createRegistry, type Registry } from './registry.ts';

let registry: Registry;
beforeEach(() => {
  registry = createRegistry({ runtime: fakeRuntime() });
});
const add = (
  name: string,
  input: SchemaSource = z.object({ a: z.number() }),
  source: ToolSource = 'custom',
) =>
  registry.register(
    defineTool({ name, source, description: name, tier: 'read_only', input, run: () => 1 }),
  );
const PROVIDERS: readonly ModelProvider[] = ['openai', 'anthropic', 'gemini', 'mcp'];
const names = (provider: ModelProvider): readonly unknown[] =>
  registry
    .forModel(provider)
    .definitions.map((one) => one.name ?? (one.function as { name: string }).name);

describe.each(PROVIDERS)('forModel(%s)', (provider) => {
  it('shows the active version of what is on, under wire names', () => {
    add('on.one');
    add('off');
    registry.setEnabled('off', false);
    expect(names(provider)).toEqual(['on_one']);
    expect(registry.forModel(provider).losses).toEqual([]);
  });

  it('applies the filter of the caller', () => {
    add('a');
    add('b', undefined, 'mcp');
    expect(registry.forModel(provider, { source: ['mcp'] }).definitions).toHaveLength(1);
  });

  it('caches definitions until something changes', async () => {
    add('a.b');
    const [first] = registry.forModel(provider).definitions;
    expect(registry.forModel(provider).definitions[0]).toBe(first);
    add('a_b');
    const after = registry.forModel(provider).definitions[0];
    expect(after).not.toBe(first);
    expect(names(provider)[0]).toMatch(/^a_b_[0-9a-f]{8}$/);
    await registry.update({ ...(registry.get('a.b')?.tool as Tool), description: 'New.' });
    expect(JSON.stringify(registry.forModel(provider).definitions[0])).toContain('New.');
  });

  it('leaves out, and names, a tool that cannot be shown, and shows the others', () => {
    add('good');
    add('foreign', { type: 'object', properties: { a: { $ref: 'https://evil.example/x' } } });
    add(
      'odd',
      z.object({ a: z.string().meta({ id: 'same' }), b: z.number().meta({ id: 'same' }) }),
    );
    const { losses } = registry.forModel(provider);
    expect(names(provider)).toEqual(['good']);
    expect(losses).toEqual([
      { tool: 'foreign', path: '/properties/a', lost: '$ref' },
      { tool: 'odd', path: '', lost: 'schema' },
    ]);
  });
});

describe('schemas', () => {
  it('hands out JSON Schema for either kind, without compiling', () => {
    const json = { type: 'object', properties: { a: { pattern: '(?=x)' } } };
    add('json', json);
    add('zod');
    expect(registry.inputSchema('json')).toBe(json);
    expect(registry.inputSchema('zod')).toMatchObject({ required: ['a'] });
    expect(registry.outputSchema('zod')).toBeUndefined();
    expect(() => registry.inputSchema('zodd')).toThrow(
      expect.objectContaining({
        code: 'TOOL_NOT_FOUND',
        extras: { suggestions: ['Did you mean zod?'] },
      }),
    );
  });
});
