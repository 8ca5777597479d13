import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { CommandResult, ExecOptions, ToolContext } from '../../contract/context.ts';
import type { Needs } from '../../contract/needs.ts';
import type { Tier } from '../../contract/tool.ts';

const root = await mkdtemp(join(tmpdir(), 'toolcrib-exec-'));
await writeFile(join(root, 'a.txt'), 'hello\n');
await writeFile(join(root, '.env'), 'KEY=secret\n');
afterAll(() => rm(root, { recursive: true, force: true }));

interface Asked {
  readonly commands?: readonly string[];
  readonly argv: readonly [string, ...string[]];
  readonly allow?: string[];
  readonly tier?: Tier;
  readonly options?: ExecOptions;
  readonly needs?: Needs;
}

const run = async (asked: Asked) => {
  const { commands, argv, allow = [], tier = 'read_only', options, needs } = asked;
  const [program, ...args] = argv;
  const tool = aTool({
    name: 'runner',
    tier,
    ...(commands && { needs: { commands, ...needs } }),
    run: ((_input: unknown, { exec }: ToolContext) => exec(program, args, options)) as never,
  });
  const crib = await testCrib([tool], { root, config: { commands: { allow } } });
  const result = await crib.execute('runner', {});
  await crib.close();
  return result;
};

const codeOf = async (asked: Asked) => (await run(asked)).error?.code;
const outOf = async (asked: Asked) => (await run(asked)).data as CommandResult;

const sandbox = (await (await testCrib([])).health.sandboxes()).find(
  ({ type }) => type === 'process',
);
const why = sandbox?.ready ? '' : `: ${sandbox?.reason}`;
if (why) console.log(`Skipped${why}`);

describe('exec of a tool', () => {
  it('is refused to a tool that declared no programs, and for one it did not declare', async () => {
    expect(await codeOf({ argv: ['ls'] })).toBe('PERMISSION_DENIED');
    expect(await codeOf({ commands: ['git status'], argv: ['ls'] })).toBe('PERMISSION_DENIED');
    expect(await codeOf({ commands: ['git status'], argv: ['git', 'push'] })).toBe(
      'PERMISSION_DENIED',
    );
  });

  it('runs only what the user allows when a tool may run anything', async () => {
    expect(await codeOf({ commands: ['*'], argv: ['ls'] })).toBe('PERMISSION_DENIED');
    expect(await codeOf({ commands: ['*'], argv: ['sudo', 'ls'], allow: ['ls'] })).toBe(
      'PERMISSION_DENIED',
    );
  });

  it('judges a script command by command', async () => {
    const script = (text: string) => ({ commands: ['cat *'], argv: ['bash', '-c', text] as const });
    expect(await codeOf(script('cat a.txt; id'))).toBe('PERMISSION_DENIED');
    expect(await codeOf(script('cat $(id)'))).toBe('PERMISSION_DENIED');
    expect(await codeOf({ commands: ['cat *'], argv: ['bash', 'a.txt'] })).toBe(
      'PERMISSION_DENIED',
    );
  });

  it.skipIf(why)(`runs what is allowed in the sandbox${why}`, async () => {
    const read = await outOf({ commands: ['cat *'], argv: ['cat', 'a.txt'] });
    expect(read).toMatchObject({ exitCode: 0, stdout: 'hello\n' });
    const script = await outOf({
      commands: ['cat *', 'wc *'],
      argv: ['bash', '-c', 'cat a.txt | wc -l'],
    });
    expect(script.stdout.trim()).toBe('1');
    const failing = await outOf({ commands: ['cat *'], argv: ['cat', 'missing.txt'] });
    expect(failing.exitCode).toBe(1);
    const told = await outOf({ commands: ['cat'], argv: ['cat'], options: { stdin: 'told' } });
    expect(told.stdout).toBe('told');
  });

  it.skipIf(why)(`lets only a call that may change things write${why}`, async () => {
    const touch = { commands: ['touch new.txt'], argv: ['touch', 'new.txt'] as const };
    expect((await outOf(touch)).exitCode).not.toBe(0);
    expect((await outOf({ ...touch, tier: 'write' })).exitCode).toBe(0);
    expect(await readFile(join(root, 'new.txt'), 'utf8')).toBe('');
  });
});

describe('isolation of a caller', () => {
  it('threat: programs of a paranoid caller never run in less than a container', async () => {
    const tool = aTool({
      name: 'toucher',
      tier: 'write',
      needs: { commands: ['touch stepped-down.txt'] },
      run: ((_input: unknown, { exec }: ToolContext) =>
        exec('touch', ['stepped-down.txt'])) as never,
    });
    const config = { sandbox: { container: { socket: '/nowhere/engine.sock' } } };
    const crib = await testCrib([tool], { root, config, approver: () => true });
    const result = await crib.execute('toucher', {}, { isolation: 'paranoid' });
    await crib.close();
    expect(result.error?.code).toBe('SANDBOX_ERROR');
    expect(await readdir(root)).not.toContain('stepped-down.txt');
  });
});

describe('reach of a run', () => {
  const asking = (more: Partial<Asked>): Asked => ({
    commands: ['printenv HTTPS_PROXY'],
    argv: ['printenv', 'HTTPS_PROXY'],
    ...more,
  });

  it('threat: a tool names no host that it did not declare', async () => {
    const options = { hosts: ['evil.test'] };
    expect(await codeOf(asking({ options }))).toBe('PERMISSION_DENIED');
    const needs = { hosts: ['good.test'] };
    expect(await codeOf(asking({ options, needs }))).toBe('PERMISSION_DENIED');
  });

  it.skipIf(why)(`has a network only for declared hosts, and may do without${why}`, async () => {
    const network = async (more: Partial<Asked>) => (await outOf(asking(more))).stdout;
    expect(await network({})).toBe('');
    expect(await network({ needs: { hosts: ['good.test'] } })).toContain('http://127.0.0.1');
    expect(await network({ needs: { hosts: ['good.test'] }, options: { hosts: [] } })).toBe('');
    const narrowed = { needs: { hosts: ['*'] }, options: { hosts: ['good.test:443'] } };
    expect(await network(narrowed)).toContain('http://127.0.0.1');
  });

  it.skipIf(why)(`threat: only who asks for the repository by name writes it${why}`, async () => {
    await mkdir(join(root, '.git', 'hooks'), { recursive: true });
    await writeFile(join(root, '.git', 'config'), '[core]\n');
    const touch = (path: string, paths: Needs['paths'] = [], tier: Tier = 'write') =>
      outOf({
        commands: [`touch ${path}`],
        argv: ['touch', path],
        tier,
        needs: { paths: [{ path: '.', access: 'write' }, ...paths] },
      });
    const named: Needs['paths'] = [{ path: '.git', access: 'write' }];
    expect((await touch('.git/index')).exitCode).not.toBe(0);
    expect((await touch('.git/index', [{ path: '.git', access: 'read' }])).exitCode).not.toBe(0);
    expect((await touch('.git/index', named, 'read_only')).exitCode).not.toBe(0);
    expect((await touch('.git/index', named)).exitCode).toBe(0);
    expect((await touch('.git/hooks/post-commit', named)).exitCode).not.toBe(0);
    expect((await touch('.git/config', named)).exitCode).not.toBe(0);
    expect(await readdir(join(root, '.git'))).toEqual(['config', 'hooks', 'index']);
  });
});

describe('commands of the configuration', () => {
  it('fail the start of the crib when they are invalid', async () => {
    const start = testCrib([aTool()], { config: { commands: { allow: ['*'] } } });
    await expect(start).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    const egress = testCrib([aTool()], { config: { egress: { allowPrivate: ['10.0.0.0/99'] } } });
    await expect(egress).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
