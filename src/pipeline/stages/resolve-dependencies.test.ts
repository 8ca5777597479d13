/** Tools that depend on others: a dependency that cannot be used is found before the tool runs. */
import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { Dependency, Tool } from '../../contract/tool.ts';

const withRuns = (name: string, dependencies: readonly Dependency[], runs: string[]): Tool =>
  aTool({
    name,
    dependencies,
    run: () => {
      runs.push(name);
      return name;
    },
  });

describe('a tool that depends on others', () => {
  it('does not run while one of them is missing, and runs once it is registered', async () => {
    const runs: string[] = [];
    const crib = await testCrib([withRuns('app', [{ tool: 'base' }], runs)]);
    const refused = await crib.execute('app', {});
    expect([refused.error?.code, runs]).toEqual(['DEPENDENCY_MISSING', []]);
    expect(refused.error?.message).toContain('app needs base');
    crib.tools.register(withRuns('base', [], runs));
    expect((await crib.execute('app', {})).success).toBe(true);
  });

  it('does not run when one that it needs lacks one itself', async () => {
    const runs: string[] = [];
    const crib = await testCrib([
      withRuns('app', [{ tool: 'middle' }], runs),
      withRuns('middle', [{ tool: 'base' }], runs),
    ]);
    const refused = await crib.execute('app', {});
    expect([refused.error?.code, runs]).toEqual(['DEPENDENCY_MISSING', []]);
    expect(refused.error?.message).toContain('middle needs base');
  });

  it.each([
    ['itself', [['app', 'app']]],
    [
      'one another',
      [
        ['app', 'base'],
        ['base', 'app'],
      ],
    ],
    [
      'a circle further on',
      [
        ['app', 'base'],
        ['base', 'far'],
        ['far', 'base'],
      ],
    ],
  ])('does not run when tools need %s', async (_, needs) => {
    const runs: string[] = [];
    const tools = needs.map(([name = '', tool = '']) => withRuns(name, [{ tool }], runs));
    const crib = await testCrib(tools);
    const refused = await crib.execute('app', {});
    expect([refused.error?.code, runs]).toEqual(['DEPENDENCY_MISSING', []]);
    expect(refused.error?.message).toContain('circle');
  });

  it.each([
    ['>=2', 'DEPENDENCY_MISSING'],
    ['not a range', 'DEPENDENCY_MISSING'],
    ['^1.0.0', undefined],
  ])('is judged by the version range %s', async (range, code) => {
    const crib = await testCrib([
      withRuns('app', [{ tool: 'base', range }], []),
      withRuns('base', [], []),
    ]);
    expect((await crib.execute('app', {})).error?.code).toBe(code);
  });

  it('does not run while one of them is switched off', async () => {
    const runs: string[] = [];
    const crib = await testCrib([
      withRuns('app', [{ tool: 'base' }], runs),
      withRuns('base', [], runs),
    ]);
    crib.tools.setEnabled('base', false);
    expect((await crib.execute('app', {})).error?.code).toBe('DEPENDENCY_MISSING');
    crib.tools.setEnabled('base', true);
    expect((await crib.execute('app', {})).success).toBe(true);
    expect(runs).toEqual(['app']);
  });

  it('that names them as plain texts is refused when it is defined', () => {
    const define = () => aTool({ dependencies: ['base'] as never });
    expect(define).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }) as Error);
  });
});
