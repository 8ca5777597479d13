import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from './define-tool.ts';

describe('defineTool', () => {
  it('fills in what is usual and keeps the rest', () => {
    const tool = defineTool({
      name: 't',
      description: 'd',
      tier: 'write',
      input: {},
      run: () => 1,
    });
    expect(tool).toMatchObject({
      version: '1.0.0',
      source: 'custom',
      category: 'custom',
      capabilities: [],
      tier: 'write',
    });
  });

  it('infers the input from a Zod schema', () => {
    defineTool({
      name: 't',
      description: 'd',
      tier: 'read_only',
      input: z.object({ a: z.number(), b: z.string().default('x') }),
      output: z.object({ c: z.string() }),
      run: (input) => {
        expectTypeOf(input).toEqualTypeOf<{ a: number; b: string }>();
        return { c: input.b };
      },
    });
  });

  it.each(['', 'has space', '../x', 'a/b', '-x', '_x', 'é', 'x'.repeat(129), '__proto__'])(
    'refuses the name %j',
    (name) => {
      const define = () =>
        defineTool({ name, description: '', tier: 'read_only', input: {}, run: () => 1 });
      expect(define).toThrow('A tool name is');
    },
  );

  it('refuses a price without a model, as its type does, and says which there are', () => {
    const price = { name: 'paid', description: 'Costs.', tier: 'read_only', run: () => 1 } as const;
    const cost = { fixed: 0.4 } as never;
    const define = () => defineTool({ ...price, input: { type: 'object' }, cost });
    expect(define).toThrow(/model.*usage_based/);
  });

  it('refuses an unknown tier', () => {
    const define = () =>
      defineTool({ name: 't', description: '', tier: 'root' as never, input: {}, run: () => 1 });
    expect(define).toThrow('tier must be one of');
  });
});
