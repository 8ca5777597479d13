import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { SandboxHost } from '../../contract/sandbox.ts';
import { sandboxHost } from './sandbox-host.ts';

/** What sandboxed code would get from the context of a real call. */
const asking = async (
  ask: (request: SandboxHost['request']) => Promise<unknown>,
  extra: Parameters<typeof aTool>[0] = {},
) => {
  const inner = aTool({ name: 'inner', run: () => 'from inside' });
  const tool = aTool({
    name: 'outer',
    ...extra,
    run: ((_input: unknown, context: ToolContext) => ask(sandboxHost(context).request)) as never,
  });
  const crib = await testCrib([tool, inner]);
  return crib.execute('outer', {});
};

describe('the host of sandboxed code', () => {
  it('passes requests on to the broker', async () => {
    const result = await asking(async (request) => {
      await request('memory.write', ['working', 'k', { a: 1 }]);
      await request('logger.info', ['hello', { n: 1 }]);
      await request('memory.writeFor', [1000, { scope: 'short-term', key: 't' }, 1]);
      await request('progress', [0.5, 'half']);
      await request('warn', ['careful']);
      await request('charge', [{ cost: 0.001, tokens: 3 }]);
      return {
        memory: await request('memory.read', ['working', 'k']),
        gone: await request('memory.delete', ['working', 'k']),
        call: await request('call', ['inner', {}]),
      };
    });
    expect(result).toMatchObject({
      success: true,
      data: { memory: { a: 1 }, gone: true, call: { success: true, data: 'from inside' } },
      warnings: ['careful'],
      metadata: { cost: 0.001, tokensUsed: 3 },
    });
  });

  it.each([
    ['a file the tool did not ask for', 'fs.read', ['a.txt']],
    ['a host the tool did not ask for', 'fetch', ['https://example.com', { method: 'GET' }]],
    ['a program the tool did not ask for', 'exec', ['ls', ['-l']]],
    ['a secret the tool did not ask for', 'secret', ['KEY']],
    ['a request that does not exist', 'eval', ['1']],
    ['the name of a method of every object', 'constructor', []],
  ])('refuses %s', async (_name, method, args) => {
    const result = await asking((request) => request(method, args));
    expect(result.error?.code).toBe('PERMISSION_DENIED');
  });

  it.each([
    ['fs.read', [1]],
    ['fs.write', ['a', { b: 1 }]],
    ['exec', ['ls', 'no list']],
    ['exec', ['ls', [1]]],
    ['fetch', ['https://example.com', []]],
    ['logger.info', [7]],
    ['memory.writeFor', [1000, 'k', 1]],
    ['progress', ['half']],
    ['memory.read', ['everywhere', 'k']],
    ['charge', ['much']],
  ])('refuses %s with arguments that make no sense', async (method, args) => {
    const result = await asking((request) => request(method, args));
    expect(result.error?.code).toBe('VALIDATION_ERROR');
  });
});
