import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { CribOptions } from '../../crib/crib-options.ts';

describe('resolve', () => {
  it('names tools that are close to one that is not there', async () => {
    const crib = await testCrib([aTool({ name: 'read_file' })]);
    const { error } = await crib.execute('raed_file', {});
    expect(error).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      suggestions: ['Did you mean read_file?'],
    });
  });

  it('does not take the names of object properties for tools', async () => {
    const crib = await testCrib([aTool()]);
    for (const name of ['constructor', '__proto__', 'toString', '']) {
      expect((await crib.execute(name, {})).error?.code).toBe('TOOL_NOT_FOUND');
    }
  });

  it('runs the version asked for, and warns of deprecated ones', async () => {
    const crib = await testCrib([
      aTool({ version: '1.0.0', run: () => 'old' }),
      aTool({ version: '2.0.0', run: () => 'new' }),
    ]);
    expect((await crib.execute('echo', {})).data).toBe('new');
    crib.tools.deprecate('echo', '1.0.0');
    const old = await crib.execute('echo', {}, { version: '1.0.0' });
    expect(old.data).toBe('old');
    expect(old.warnings).toEqual(['Version 1.0.0 of echo is deprecated.']);
    expect((await crib.execute('echo', {}, { version: '9.0.0' })).error?.code).toBe(
      'TOOL_NOT_FOUND',
    );
  });

  it('refuses disabled tools; what the configuration switched off stays off', async () => {
    const off = await testCrib([aTool()], { config: { tools: { echo: { enabled: false } } } });
    expect((await off.execute('echo', {})).status).toBe('denied');
    expect(() => off.tools.setEnabled('echo', true)).toThrow('switched off by configuration');
    const crib = await testCrib([aTool()]);
    crib.tools.setEnabled('echo', false);
    expect((await crib.execute('echo', {})).error?.code).toBe('TOOL_DISABLED');
    crib.tools.setEnabled('echo', true);
    expect((await crib.execute('echo', {})).success).toBe(true);
  });

  it('refuses a tool from outside until a person accepts it', async () => {
    const sources = [{ kind: 'mcp', label: 'mcp:x', load: async () => [aTool({ name: 'far' })] }];
    const crib = await testCrib([], { sources, lock: 'memory' } as CribOptions);
    const { status, error } = await crib.execute('far', {});
    expect([status, error?.code]).toEqual(['denied', 'TOOL_QUARANTINED']);
    expect(error?.suggestions).toEqual([
      'Look at it and let it out with: toolcrib tools accept far',
    ]);
    await crib.tools.lock.accept(['far'], 'ada');
    expect((await crib.execute('far', {})).error?.code).not.toBe('TOOL_QUARANTINED');
  });

  it('refuses circles of tools and chains that are too deep', async () => {
    const callNext = (tool: string) => async (_input: unknown, context: ToolContext) => {
      const inner = await context.call(tool, {});
      return inner.error?.code ?? inner.data;
    };
    const circle = await testCrib([
      aTool({ name: 'a', run: callNext('b') }),
      aTool({ name: 'b', run: callNext('a') }),
    ]);
    expect((await circle.execute('a', {})).data).toBe('CALL_CYCLE');
    const links = Array.from({ length: 12 }, (_, i) =>
      aTool({ name: `t${i}`, run: callNext(`t${i + 1}`) }),
    );
    const deep = await testCrib(links);
    expect((await deep.execute('t0', {})).data).toBe('CALL_CYCLE');
    const fine = await testCrib([
      aTool({ name: 'a', run: callNext('echo') }),
      aTool({ run: () => 7 }),
    ]);
    expect((await fine.execute('a', {})).data).toBe(7);
  });
});
