import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../contract/context.ts';

const codeOf = async (
  commands: readonly string[] | undefined,
  argv: readonly [string, ...string[]],
  allow: string[] = [],
) => {
  const [program, ...args] = argv;
  const tool = aTool({
    name: 'runner',
    ...(commands && { needs: { commands } }),
    run: ((_input: unknown, { exec }: ToolContext) => exec(program, args)) as never,
  });
  const crib = await testCrib([tool], { config: { commands: { allow } } });
  return (await crib.execute('runner', {})).error?.code;
};

describe('exec of a tool', () => {
  it('is refused to a tool that declared no programs, and for one it did not declare', async () => {
    expect(await codeOf(undefined, ['ls'])).toBe('PERMISSION_DENIED');
    expect(await codeOf(['git status'], ['ls'])).toBe('PERMISSION_DENIED');
    expect(await codeOf(['git status'], ['git', 'push'])).toBe('PERMISSION_DENIED');
  });

  it('passes the guard for what was declared, and then wants a sandbox', async () => {
    expect(await codeOf(['git status'], ['git', 'status'])).toBe('SANDBOX_ERROR');
  });

  it('goes by what the user allows where a tool can run anything', async () => {
    expect(await codeOf(['*'], ['git', 'status'])).toBe('PERMISSION_DENIED');
    expect(await codeOf(['*'], ['git', 'status'], ['git status'])).toBe('SANDBOX_ERROR');
    expect(await codeOf(['*'], ['sudo', 'ls'], ['git status'])).toBe('PERMISSION_DENIED');
  });
});

describe('commands of the configuration', () => {
  it('stop the start when they make no sense', async () => {
    const start = testCrib([aTool()], { config: { commands: { allow: ['*'] } } });
    await expect(start).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    const egress = testCrib([aTool()], { config: { egress: { allowPrivate: ['10.0.0.0/99'] } } });
    await expect(egress).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
