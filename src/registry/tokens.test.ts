import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fakeRuntime } from '../../test/fixtures/fake-runtime.ts';
import { defineTool } from '../contract/define-tool.ts';
import type { ToolSource } from '../contract/tool.ts';
import { countTokens } from './model-view.ts';
import { createRegistry, type Registry } from './registry.ts';

let registry: Registry;
beforeEach(() => {
  registry = createRegistry({ runtime: fakeRuntime() });
});
const add = (name: string, source: ToolSource, description = 'Adds two numbers.'): void =>
  registry.register(
    defineTool({
      name,
      source,
      description,
      tier: 'read_only',
      input: z.object({ a: z.number(), b: z.number() }),
      run: ({ a, b }) => a + b,
    }),
  );

describe('tokens', () => {
  it('are counted for what a model gets, with a real tokenizer', async () => {
    const { encode } = await import('gpt-tokenizer/encoding/o200k_base');
    add('math.add', 'builtin');
    const parameters = registry.inputSchema('math.add');
    const text = JSON.stringify({ name: 'math_add', description: 'Adds two numbers.', parameters });
    expect(await registry.tokens('math.add')).toBe(encode(text).length);
    await expect(registry.tokens('nowhere')).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' });
  });

  it('change with the definition', async () => {
    add('a', 'builtin');
    const before = await registry.tokens('a');
    const longer = {
      ...registry.get('a')?.tool,
      description: 'A much longer description of it all.',
    };
    await registry.update(longer as never);
    expect(await registry.tokens('a')).toBeGreaterThan(before);
  });

  it('are summed by source and in total', async () => {
    add('a', 'builtin');
    add('b', 'mcp', 'Something else entirely, at some length.');
    add('c', 'mcp');
    const { total, bySource, byTool } = await registry.tokenReport();
    const [a = 0, b = 0, c = 0] = byTool.map(({ tokens }) => tokens);
    expect(bySource).toEqual({ builtin: a, mcp: b + c });
    expect(total).toBe(a + b + c);
    expect((await registry.tokenReport({ source: ['mcp'] })).total).toBe(b + c);
  });

  it('count a special token as text', async () => {
    expect(await countTokens({ description: 'ends with <|endoftext|>' })).toBeGreaterThan(5);
  });

  it('are counted for a hostile description in bounded time', async () => {
    const start = performance.now();
    expect(await countTokens({ description: 'a'.repeat(100_000) })).toBeGreaterThan(10_000);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});
