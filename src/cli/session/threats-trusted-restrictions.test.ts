/**
 * What a trusted project restricts stays in force when something in its folder changes; what changed is
 * not used, and nothing that widens is taken before the user decides anew.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeIo } from '../../../test/fixtures/fake-io.ts';
import { loadConfig } from '../../trust/load-config.ts';
import { runCli } from '../run-cli.ts';

let root: string;
let project: string;
const env = () => ({ HOME: root, TOOLCRIB_HOME: join(root, 'user') });

const write = async (name: string, text: string): Promise<void> => {
  const file = join(project, '.toolcrib', name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
};

const run = async (args: readonly string[], cwd = project) => {
  const { io, out, err } = fakeIo({ cwd, env: env(), json: args.includes('--json') });
  return { code: await runCli(args, io), out: out(), err: err() };
};

const CONFIG = 'tools: {write_file: {enabled: false}}\nbudget: {dailyUsd: 5}\n';
const RULES = `version: 1
rules:
  - { name: no-dates, effect: deny, tools: [datetime] }
`;
const TOOL = (name: string) => `name: ${name}
description: Says hello.
schema: { type: object }
runtime: typescript
permissions: { riskLevel: low, autoAccept: true }
code: |
  export async function execute() {
    return { said: 'hello' };
  }
`;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-restrict-')));
  project = join(root, 'project');
  await mkdir(project);
  await write('config.yml', CONFIG);
  await write('policy.yml', RULES);
  await write('tools/one.yml', TOOL('one'));
  await write('tools/two.yml', TOOL('two'));
  expect((await run(['trust', '--yes'])).code).toBe(0);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const canary = () => join(project, 'canary.txt');
const writeCanary = (cwd = project) =>
  run(['run', 'write_file', `path=${canary()}`, 'content=x', '--yes', '--json'], cwd);
const codeIn = ({ out }: { out: string }): string | undefined =>
  (JSON.parse(out) as { error?: { code: string } }).error?.code;
const inFolder = (name: string): string => join(project, '.toolcrib', name);

describe('threat: something in the folder of a trusted project changes', () => {
  const changes: readonly [string, () => Promise<unknown>][] = [
    ['a draft of a tool is added', () => write('tools/draft.yml', 'not even YAML: [')],
    ['a tool is edited', () => write('tools/one.yml', TOOL('three'))],
    ['the switch is removed from its configuration', () => write('config.yml', 'budget: {}\n')],
    [
      'its configuration is widened',
      () => write('config.yml', 'tools: {write_file: {enabled: true}}\n'),
    ],
    ['its configuration is broken', () => write('config.yml', '{{{')],
    ['a second configuration is added', () => write('config.yaml', 'budget: {}\n')],
    ['its configuration is deleted', () => rm(inFolder('config.yml'))],
    [
      'its configuration becomes a link',
      async () => {
        await rename(inFolder('config.yml'), join(root, 'elsewhere.yml'));
        await symlink(join(root, 'elsewhere.yml'), inFolder('config.yml'));
      },
    ],
    ['its rules are deleted', () => rm(inFolder('policy.yml'))],
    ['its rules are widened', () => write('policy.yml', 'version: 1\nrules: []\n')],
    ['its whole folder is deleted', () => rm(inFolder('.'), { recursive: true })],
    [
      'its folder becomes a link',
      async () => {
        await rename(inFolder('.'), join(root, 'moved'));
        await symlink(join(root, 'moved'), inFolder('.'));
      },
    ],
  ];

  it.each(changes)(
    'hostile: after %s, the restrictions that a trusted project set stay in force',
    async (_what, change) => {
      await change();
      expect(codeIn(await writeCanary())).toBe('TOOL_DISABLED');
      expect(existsSync(canary())).toBe(false);
      const denied = await run(['run', 'datetime', 'operation=now', '--yes', '--json']);
      expect(codeIn(denied)).toBe('PERMISSION_DENIED');
      const { config } = await loadConfig({ cwd: project, env: env() });
      expect(config.budget.dailyUsd).toBe(5);
      expect(config.mcp.servers).toEqual({});
    },
  );

  it('hostile: an untrusted project nearer to the user does not hide the restrictions of the trusted one', async () => {
    await mkdir(join(project, 'sub', '.toolcrib'), { recursive: true });
    await writeFile(join(project, 'sub', '.toolcrib', 'config.yml'), 'budget: {}\n');
    expect(codeIn(await writeCanary(join(project, 'sub')))).toBe('TOOL_DISABLED');
    expect(existsSync(canary())).toBe(false);
    expect((await run(['trust', '--yes'], join(project, 'sub'))).out).toContain('sub is trusted');
  });

  it('hostile: Toolcrib does not start when the copy in the user folder was changed', async () => {
    const { trust } = await loadConfig({ cwd: project, env: env() });
    const hash = trust.folder?.files['config.yml'] ?? '';
    await writeFile(join(root, 'user', 'trusted', hash), 'budget: {}\n');
    await write('config.yml', 'budget: {}\n');
    const { code, err, out } = await writeCanary();
    expect([code === 0, `${err}${out}`.includes('no copy was kept')]).toEqual([false, true]);
    expect(existsSync(canary())).toBe(false);
  });

  it('benign: new content counts once the user has trusted it again', async () => {
    await write('config.yml', 'budget: {dailyUsd: 4}\n');
    await run(['trust', '--yes']);
    expect(codeIn(await writeCanary())).toBeUndefined();
    expect(existsSync(canary())).toBe(true);
  });

  it('benign: trust --revoke forgets a project that no longer exists', async () => {
    await rm(inFolder('.'), { recursive: true });
    expect((await run(['trust', '--revoke'])).out).toContain('is not trusted any more');
    expect(codeIn(await writeCanary())).toBeUndefined();
  });
});

describe('one tool file of a trusted project changes', () => {
  const call = (name: string) => run(['run', name, '--yes', '--json']);

  it('switches off that tool alone, and its refusal says that it is not trusted', async () => {
    await write('tools/one.yml', `${TOOL('one')}# mine\n`);
    const refused = await call('one');
    expect(codeIn(refused)).toBe('PERMISSION_DENIED');
    expect(refused.out).toContain('toolcrib trust');
    expect(codeIn(await call('two'))).toBeUndefined();
    expect((await call('nosuch')).out).toContain('Some tool files here are not trusted');
    await run(['trust', '--yes']);
    expect(codeIn(await call('one'))).toBeUndefined();
  });

  it('leaves the other tools on when its file is deleted', async () => {
    await rm(inFolder('tools/one.yml'));
    expect(codeIn(await call('one'))).toBe('TOOL_NOT_FOUND');
    expect(codeIn(await call('two'))).toBeUndefined();
  });
});

describe('toolcrib trust --watch', () => {
  const watching = () => {
    const fake = fakeIo({ cwd: project, env: env() });
    const done = runCli(['trust', '--watch'], fake.io);
    return { ...fake, done };
  };
  const SOON = { timeout: 10_000, interval: 20 };
  const state = async () => (await loadConfig({ cwd: project, env: env() })).trust;

  it('trusts edits of tool files while it runs, and nothing else', async () => {
    const { io, out, err, done } = watching();
    await vi.waitFor(() => expect(err()).toContain('are trusted until'), SOON);
    await write('tools/one.yml', `${TOOL('one')}# mine\n`);
    await vi.waitFor(() => expect(out()).toContain('✓ tools/one.yml'), SOON);
    expect((await state()).state).toBe('trusted');
    await write('config.yml', 'budget: {}\n');
    await write('tools/new.yml', TOOL('new'));
    await vi.waitFor(() => expect(out()).toContain('✓ tools/new.yml'), SOON);
    expect((await state()).changed).toEqual(['config.yml']);
    (io.signals as unknown as NodeJS.EventEmitter).emit('SIGINT');
    expect(await done).toBe(0);
    await write('tools/one.yml', TOOL('late'));
    expect((await state()).changed).toEqual(['config.yml', 'tools/one.yml']);
  });

  it('does not start when something changed before the command began', async () => {
    await write('tools/one.yml', TOOL('evil'));
    const { code, err } = await run(['trust', '--watch']);
    expect(code).not.toBe(0);
    expect(err).toContain('has changed since you trusted it');
  });
});
