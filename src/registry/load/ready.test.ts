import { beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type FakeRuntime, fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import type { ReadyTool } from '../../contract/call.ts';
import { defineTool } from '../../contract/define-tool.ts';
import type { Tool, ToolDefinition } from '../../contract/tool.ts';
import { createRegistry, type Registry } from '../registry.ts';

const tool = (name: string, more: Partial<ToolDefinition<never, unknown>> = {}): Tool =>
  defineTool({
    name,
    description: `Does ${name}.`,
    tier: 'read_only',
    input: z.object({ a: z.number() }),
    run: () => 1,
    ...more,
  } as ToolDefinition<unknown, unknown>);

let runtime: FakeRuntime;
let registry: Registry;
beforeEach(() => {
  runtime = fakeRuntime();
  registry = createRegistry({ runtime });
});

describe('ready', () => {
  it('is there at once for Zod, and the same every time', () => {
    registry.register(tool('a', { output: z.number() }));
    const ready = registry.ready('a') as ReadyTool;
    expect(ready).not.toBeInstanceOf(Promise);
    expect(registry.ready('a')).toBe(ready);
    expect(ready.input.validate({ a: 1 })).toEqual({ ok: true, value: { a: 1 } });
    expect(ready.output?.validate('x').ok).toBe(false);
  });

  it('compiles a JSON Schema on first use, once for calls that come together', async () => {
    registry.register(tool('a', { input: { type: 'object', required: ['a'] } as never }));
    const [one, two] = await Promise.all([registry.ready('a'), registry.ready('a')]);
    expect(one).toBe(two);
    expect(registry.ready('a')).toBe(one);
    expect(one?.input.validate({}).ok).toBe(false);
    expect(one?.output).toBeUndefined();
  });

  it('rejects for a schema that cannot be used, every time, and leaves the others alone', async () => {
    registry.register(tool('bad', { input: { $ref: 'https://evil.example/x' } as never }));
    registry.register(tool('good'));
    for (let time = 0; time < 2; time += 1) {
      await expect(registry.ready('bad')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    }
    expect(registry.ready('good')).toBeDefined();
  });

  it.each([
    ['builtin', 'read_only', 'custom', 'trusted', 'public'],
    ['custom', 'write', 'filesystem', 'trusted', 'private'],
    ['mcp', 'read_only', 'custom', 'untrusted', 'public'],
    ['external', 'read_only', 'database', 'untrusted', 'private'],
    ['workflow', 'read_only', 'custom', 'untrusted', 'public'],
    ['package', 'read_only', 'custom', 'untrusted', 'public'],
    ['team', 'read_only', 'custom', 'untrusted', 'public'],
    ['builtin', 'external_api', 'api', 'untrusted', 'public'],
  ] as const)('labels %s %s %s as %s and %s', (source, tier, category, trust, sensitivity) => {
    registry.register(tool('a', { source, tier, category }));
    expect((registry.ready('a') as ReadyTool).labels).toEqual({ trust, sensitivity });
  });
});

describe('initialize', () => {
  it('runs once, before the first call, for all who wait', async () => {
    const initialize = vi.fn(async () => undefined);
    registry.register(tool('a', { initialize }));
    const ready = registry.ready('a') as ReadyTool;
    expect(initialize).not.toHaveBeenCalled();
    const [one, two] = [ready.initialize(), ready.initialize()];
    expect(one).toBe(two);
    await one;
    expect(ready.initialize()).toBeUndefined();
    expect(initialize).toHaveBeenCalledOnce();
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('no'))],
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
  ])('is tried again after it %s', async (_name, fail) => {
    const initialize = vi.fn(async () => undefined).mockImplementationOnce(fail);
    registry.register(tool('a', { initialize }));
    const ready = registry.ready('a') as ReadyTool;
    await expect(ready.initialize()).rejects.toThrow('no');
    await ready.initialize();
    expect(initialize).toHaveBeenCalledTimes(2);
    expect(ready.initialize()).toBeUndefined();
  });

  it('is nothing for a tool without one', () => {
    registry.register(tool('a'));
    expect((registry.ready('a') as ReadyTool).initialize()).toBeUndefined();
  });
});

describe('cleanup', () => {
  it('runs once on close, for the tools that were used', async () => {
    const used = vi.fn(async () => undefined);
    const unused = vi.fn(async () => undefined);
    registry.register(tool('used', { cleanup: used }));
    registry.register(tool('unused', { cleanup: unused }));
    await registry.ready('used');
    await Promise.all([registry.close(), registry.close()]);
    expect(used).toHaveBeenCalledOnce();
    expect(unused).not.toHaveBeenCalled();
    expect(runtime.pendingTimers).toBe(0);
  });

  it('continues when one tool fails, and logs the failure', async () => {
    const cleanup = vi.fn(async () => undefined);
    registry.register(tool('bad', { cleanup: () => Promise.reject(new Error('stuck')) }));
    registry.register(
      tool('worse', {
        cleanup: () => {
          throw new Error('thrown');
        },
      }),
    );
    registry.register(tool('good', { cleanup }));
    for (const name of ['bad', 'worse', 'good']) await registry.ready(name);
    await registry.close();
    expect(cleanup).toHaveBeenCalledOnce();
    expect(runtime.logged.map(({ fields }) => fields)).toEqual(
      expect.arrayContaining([
        { tool: 'bad', reason: 'stuck' },
        { tool: 'worse', reason: 'thrown' },
      ]),
    );
  });

  it('does not wait for ever', async () => {
    registry.register(tool('hangs', { cleanup: () => new Promise(() => undefined) }));
    await registry.ready('hangs');
    const closed = registry.close();
    await runtime.advance(10_000);
    await closed;
    expect(runtime.logged[0]?.message).toBe('The cleanup of a tool failed');
  });

  it('waits for an initialize that is under way, then undoes it', async () => {
    const order: string[] = [];
    let finish = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      finish = resolve;
    });
    registry.register(
      tool('a', {
        initialize: async () => {
          await begun;
          order.push('initialized');
        },
        cleanup: async () => void order.push('cleaned'),
      }),
    );
    const ready = registry.ready('a') as ReadyTool;
    const starting = ready.initialize();
    const removed = registry.unregister('a');
    await runtime.advance(0);
    expect(order).toEqual([]);
    finish();
    await Promise.all([starting, removed]);
    expect(order).toEqual(['initialized', 'cleaned']);
    await expect(ready.initialize()).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});
