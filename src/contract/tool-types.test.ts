/** Compile-time tests: what does not compile here fails the type check, an unused expectation too. */
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { createCrib } from '../crib/create-crib.ts';
import type { Crib, DryRunReport } from './crib.ts';
import { defineTool } from './define-tool.ts';
import type { ToolError } from './errors.ts';
import type { PendingApproval, ToolResult } from './result.ts';
import type { ToolMapOf } from './tool-types.ts';

const greet = defineTool({
  name: 'greet',
  description: 'Greets somebody.',
  tier: 'read_only',
  input: z.strictObject({ name: z.string(), times: z.number().default(1) }),
  run: ({ name, times }) => `Hello, ${name}!`.repeat(times),
});

const deploy = defineTool({
  name: 'deploy',
  description: 'Ships it.',
  tier: 'execute',
  input: {
    type: 'object',
    properties: { target: { enum: ['staging', 'production'] }, wait: { type: 'boolean' } },
    required: ['target'],
  },
  output: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
  run: ({ target }) => ({ url: `https://${target}.example` }),
});

/** Never called: only compiled. */
const compiled = async (crib: Crib) => {
  const mine = await createCrib({ tools: [greet, deploy] });
  const told = await createCrib<{ far: { input: { x: number }; output: string } }>();
  return { crib, mine, told };
};
type Cribs = Awaited<ReturnType<typeof compiled>>;
const never = <T>(_use: (it: T) => unknown): void => {};

describe('the types of a tool', () => {
  it('defineTool keeps the name, and tells what callers pass from what run gets', () => {
    expectTypeOf(greet.name).toEqualTypeOf<'greet'>();
    type Passed = Parameters<typeof greet.run>[0];
    expectTypeOf<Passed>().toEqualTypeOf<{ name: string; times?: number | undefined }>();
  });

  it('a JSON Schema literal types the input of run, and output its data', () => {
    type Passed = Parameters<typeof deploy.run>[0];
    expectTypeOf<Passed>().toEqualTypeOf<{
      readonly target: 'staging' | 'production';
      readonly wait?: boolean;
    }>();
    expectTypeOf(deploy.run).returns.toEqualTypeOf<
      { readonly url: string } | Promise<{ readonly url: string }>
    >();
  });

  it('a run that reads a field the schema does not have does not compile', () => {
    const of = { description: '', tier: 'read_only' } as const;
    const input = { type: 'object', properties: { a: { type: 'string' } } } as const;
    // @ts-expect-error the schema has no field b
    defineTool({ ...of, name: 't', input, run: ({ b }) => b });
  });

  it('a schema that is no literal gives unknown, never any', () => {
    const input: { readonly [keyword: string]: unknown } = { type: 'object' };
    const t = defineTool({ name: 't', description: '', tier: 'read_only', input, run: (x) => x });
    expectTypeOf<Parameters<typeof t.run>[0]>().toBeUnknown();
  });
});

describe('the types of a call', () => {
  it('for a call by tool: input and data are typed, and a wrong field does not compile', () => {
    never<Crib>(async (crib) => {
      const result = await crib.execute(greet, { name: 'Ada' });
      expectTypeOf(result).toEqualTypeOf<ToolResult<string>>();
      // @ts-expect-error there is no such target
      await crib.execute(deploy, { target: 'moon' });
      // @ts-expect-error the name is missing
      crib.start(greet, {});
      expectTypeOf(crib.start(deploy, { target: 'staging' }).result).toEqualTypeOf<
        Promise<ToolResult<{ readonly url: string }>>
      >();
    });
  });

  it('for a call by name: tools given to createCrib are typed, others take anything', () => {
    never<Cribs['mine']>(async (crib) => {
      expectTypeOf(await crib.execute('greet', { name: 'Ada' })).toEqualTypeOf<
        ToolResult<string>
      >();
      // @ts-expect-error the field is name
      await crib.execute('greet', { nam: 'Ada' });
      // @ts-expect-error the field is name
      crib.start('greet', { nam: 'Ada' });
      expectTypeOf(await crib.execute('calculator', { any: 1 })).toEqualTypeOf<ToolResult>();
      const name: string = 'greet';
      expectTypeOf(await crib.execute(name, 1)).toEqualTypeOf<ToolResult>();
    });
  });

  it('a wrong call is marked where the fault stands, not at the tool', () => {
    never<Cribs['mine']>(async (crib) => {
      await crib.execute(greet, {
        name: 'Ada',
        // @ts-expect-error there is no such field
        tmies: 2,
      });
      await crib.execute('greet', {
        // @ts-expect-error a name is a text
        name: 3,
      });
      const as = { userId: 'ada' };
      // @ts-expect-error the option is userId
      await crib.execute(greet, { name: 'Ada' }, { ...as, userid: 'ada' });
      crib.start('greet', {
        // @ts-expect-error a name is a text
        name: 3,
      });
      const plan = await crib.execute('greet', { name: 'Ada' }, { dryRun: true });
      expectTypeOf(plan).toEqualTypeOf<ToolResult<DryRunReport>>();
    });
  });

  it('for a call by name: a tool map can be declared', () => {
    never<Cribs['told']>(async (crib) => {
      expectTypeOf(await crib.execute('far', { x: 1 })).toEqualTypeOf<ToolResult<string>>();
      // @ts-expect-error x is a number
      await crib.execute('far', { x: '1' });
    });
    type Told = ToolMapOf<readonly [typeof greet]>;
    expectTypeOf<Told['greet']['output']>().toEqualTypeOf<string>();
  });

  it('a crib with typed tools is assignable to a crib of any tools', () => {
    expectTypeOf<Cribs['mine']>().toExtend<Crib>();
    expectTypeOf<Cribs['told']>().toExtend<Crib>();
  });
});

describe('the types of a result', () => {
  it('success has data, everything else has an error, and pending has its approval', () => {
    never<ToolResult<string>>((result) => {
      if (result.success) expectTypeOf(result.data).toEqualTypeOf<string>();
      else expectTypeOf(result.error).toEqualTypeOf<ToolError>();
      if (result.status === 'pending')
        expectTypeOf(result.approval).toEqualTypeOf<PendingApproval>();
      // @ts-expect-error data may not be there before success was looked at
      result.data.toUpperCase();
    });
  });
});
