/** The development tools through a whole crib: approved by a callback, run in the process sandbox. */
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createGitWorkspace, type GitWorkspace } from '../../../test/fixtures/git-workspace.ts';
import { isMissing } from '../../../test/fixtures/needed-programs.ts';
import { type NpmRegistry, openNpmRegistry } from '../../../test/fixtures/npm-registry.ts';
import type { ApprovalRequest } from '../../contract/approver.ts';
import type { Crib } from '../../contract/crib.ts';
import { createCrib } from '../../crib/create-crib.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Bubblewrap is not installed; in CI that is a failure. */
const missing = isMissing('bwrap');

let workspace: GitWorkspace;
let crib: Crib;
const approved: string[] = [];
const approver = ({ tool }: ApprovalRequest): boolean => approved.push(tool) > 0;

const open = (config: object = {}): Promise<Crib> =>
  createCrib({ root: workspace.root, store: 'memory', config, approver, watch: false });

beforeEach(async () => {
  workspace = createGitWorkspace();
  approved.length = 0;
  crib = await open();
});
afterEach(async () => {
  await crib.close();
  workspace.remove();
});

const call = async (tool: string, input: object) => {
  const { data, error } = await crib.execute(tool, input);
  expect(error).toBeUndefined();
  return data as Record<string, unknown>;
};
const git = (operation: string, more: object = {}) => call('git', { operation, ...more });

describe.skipIf(missing)('git in the sandbox', () => {
  it('reads: status, diff, log, show and branches, without asking anybody', async () => {
    expect(await git('status')).toMatchObject({ branch: 'main', entries: [{ path: 'notes.txt' }] });
    expect(await git('diff')).toMatchObject({ changes: [{ path: 'notes.txt', insertions: 1 }] });
    expect(await git('log')).toMatchObject({ commits: [{ subject: 'First notes' }] });
    expect(await git('show')).toMatchObject({ commits: [{ subject: 'First notes' }] });
    expect(await git('branch')).toMatchObject({ branches: [{ name: 'main', current: true }] });
    expect(approved).toEqual([]);
  });

  it('writes: a branch, a commit of it, and back, each after approval', async () => {
    expect(await git('checkout', { create: 'feature/notes' })).toMatchObject({
      branch: 'feature/notes',
    });
    expect(await git('commit', { message: 'Two', files: ['notes.txt'] })).toMatchObject({
      filesChanged: 1,
    });
    workspace.put('more.txt', 'more\n');
    const receipt = await call('git_commit', { message: 'More', files: ['more.txt'] });
    expect(workspace.git('rev-parse', 'HEAD').trim()).toBe(receipt.commitHash);
    expect(workspace.git('log', '--format=%s %an')).toBe('More Ada\nTwo Ada\nFirst notes Ada\n');
    await git('checkout', { ref: 'main' });
    expect(existsSync(join(workspace.root, 'more.txt'))).toBe(false);
    expect(approved).toEqual(['git', 'git', 'git_commit', 'git']);
    expect(workspace.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('T7: uncommitted work that a checkout overwrites is brought back by undo', async () => {
    workspace.put('gone.txt', 'gone\n');
    workspace.git('add', 'gone.txt');
    workspace.git('commit', '-qm', 'Gone');
    rmSync(join(workspace.root, 'gone.txt'));
    const { metadata, error } = await crib.execute('git', {
      operation: 'checkout',
      paths: ['.'],
    });
    expect(error).toBeUndefined();
    expect([workspace.text('notes.txt'), workspace.text('gone.txt')]).toEqual(['one\n', 'gone\n']);
    expect((await crib.executions.undo(metadata.executionId)).error).toBeUndefined();
    expect(workspace.text('notes.txt')).toBe('one\ntwo\n');
    expect(existsSync(join(workspace.root, 'gone.txt'))).toBe(false);
  });

  it('T7: files of another commit are taken back as well, staged or not', async () => {
    workspace.git('commit', '-qam', 'Two');
    workspace.put('notes.txt', 'one\ntwo\nthree\n');
    workspace.git('add', 'notes.txt');
    const { metadata } = await crib.execute('git', {
      operation: 'checkout',
      ref: 'HEAD~1',
      paths: ['notes.txt'],
    });
    expect(workspace.text('notes.txt')).toBe('one\n');
    expect((await crib.executions.undo(metadata.executionId)).error).toBeUndefined();
    expect(workspace.text('notes.txt')).toBe('one\ntwo\nthree\n');
  });

  it('T7: undo refuses when a file was changed since, and for calls that lost nothing', async () => {
    const { metadata } = await crib.execute('git', { operation: 'checkout', paths: ['notes.txt'] });
    workspace.put('notes.txt', 'work of another\n');
    const refused = await crib.executions.undo(metadata.executionId);
    expect([refused.success, workspace.text('notes.txt')]).toEqual([false, 'work of another\n']);
    const branch = await crib.execute('git', { operation: 'checkout', create: 'feature/x' });
    expect((await crib.executions.undo(branch.metadata.executionId)).success).toBe(false);
  });

  it('threat: hooks, monitors and filters of the repository do not run', async () => {
    const canary = join(workspace.root, 'pwned');
    for (const name of ['pre-commit', 'post-commit', 'post-checkout', 'reference-transaction']) {
      const hook = join(workspace.root, '.git/hooks', name);
      writeFileSync(hook, `#!/bin/sh\ntouch ${canary}\n`);
      chmodSync(hook, 0o755);
    }
    workspace.git('config', 'core.fsmonitor', `touch ${canary}; false`);
    await git('status');
    await git('commit', { message: 'Two', files: ['notes.txt'] });
    await git('checkout', { create: 'other' });
    expect(existsSync(canary)).toBe(false);
  });
});

describe.skipIf(missing)('T4: a monorepo', () => {
  const bash = async (command: string, more: object = {}) => {
    const { data, error } = await crib.execute('bash_execution', { command, ...more });
    return { ...(data as { stdout?: string } | undefined), error };
  };

  it('git runs in a folder of the repository, and not in another repository below it', async () => {
    await crib.close();
    crib = await open({ commands: { allow: ['git *'] } });
    workspace.put('packages/a/x.ts', 'x\n');
    workspace.put('packages/.env', 'KEY=canary-1\n');
    workspace.git('add', '-A', '-f');
    workspace.git('commit', '-qm', 'Packages');
    workspace.put('packages/a/x.ts', 'y\n');
    const cwd = 'packages/a';
    expect((await bash('git status --porcelain', { cwd })).stdout).toContain('M packages/a/x.ts');
    expect((await bash('git diff -- x.ts', { cwd })).stdout).toContain('+y');
    for (const command of ['git show HEAD:packages/.env', 'git show HEAD:../.env']) {
      expect((await bash(command, { cwd })).error?.code).toBe('PERMISSION_DENIED');
    }
    writeFileSync(join(workspace.root, 'packages/a/.git'), 'gitdir: ../../evil\n');
    expect((await bash('git status', { cwd })).error?.code).toBe('PERMISSION_DENIED');
    expect((await bash('cd packages && git status')).error?.code).toBe('PERMISSION_DENIED');
  });

  it('the git tool keeps to a workspace that is a folder of the repository', async () => {
    workspace.put('packages/a/x.ts', 'x\n');
    workspace.put('packages/b/y.ts', 'y\n');
    workspace.git('add', '-A');
    workspace.git('commit', '-qm', 'Packages');
    workspace.put('packages/a/x.ts', 'x2\n');
    workspace.put('packages/a/new.ts', 'new\n');
    workspace.put('packages/b/y.ts', 'outside\n');
    await crib.close();
    const root = join(workspace.root, 'packages/a');
    const config = { commands: { allow: ['git *'] } };
    crib = await createCrib({ root, store: 'memory', config, approver, watch: false });
    const { entries } = await git('status');
    expect(entries).toMatchObject([{ path: 'x.ts' }, { path: 'new.ts', state: 'untracked' }]);
    const { patch, changes } = await git('diff');
    expect(changes).toMatchObject([{ path: 'x.ts' }]);
    expect(patch).not.toContain('outside');
    expect((await git('show')).changes).toMatchObject([{ path: 'x.ts' }]);
    expect((await git('log')).commits).toMatchObject([{ subject: 'Packages' }]);
    await git('add', { files: ['new.ts'] });
    const receipt = await git('commit', { message: 'Inside', files: ['x.ts', 'new.ts'] });
    expect(receipt).toMatchObject({ filesChanged: 2 });
    expect(workspace.git('show', '--format=', '--name-only')).toBe(
      'packages/a/new.ts\npackages/a/x.ts\n',
    );
    expect(workspace.git('status', '--porcelain')).toBe(' M packages/b/y.ts\n');
    workspace.put('packages/a/x.ts', 'lost\n');
    await git('checkout', { paths: ['x.ts'] });
    expect(workspace.text('packages/a/x.ts')).toBe('x2\n');
  });

  it('refuses there what would touch files outside, and says what to do', async () => {
    workspace.put('packages/a/x.ts', 'x\n');
    workspace.git('add', '-A');
    workspace.git('commit', '-qm', 'Packages');
    workspace.git('branch', 'other');
    workspace.put('notes.txt', 'staged outside\n');
    workspace.git('add', 'notes.txt');
    await crib.close();
    const root = join(workspace.root, 'packages/a');
    const config = { commands: { allow: ['git *'] } };
    crib = await createCrib({ root, store: 'memory', config, approver, watch: false });
    const codeOf = async (operation: string, more: object = {}) =>
      (await crib.execute('git', { operation, ...more })).error?.code;
    expect(await codeOf('checkout', { ref: 'other' })).toBe('PRECONDITION_FAILED');
    expect(await codeOf('merge', { ref: 'other' })).toBe('PRECONDITION_FAILED');
    expect(await codeOf('stash')).toBe('PRECONDITION_FAILED');
    expect(await codeOf('show', { ref: 'HEAD:notes.txt' })).toBe('VALIDATION_ERROR');
    expect(await codeOf('commit', { message: 'x' })).toBe('CONFLICT');
    expect(await codeOf('diff', { paths: ['../../notes.txt'] })).toBe('SECURITY_VIOLATION');
    const { error } = await bash('git status');
    expect(error).toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect(error?.suggestions?.[0]).toContain('tool git');
    expect(workspace.git('status', '--porcelain')).toBe('M  notes.txt\n');
  });
});

describe.skipIf(missing)('T7: git in a shell command over uncommitted work', () => {
  beforeEach(async () => {
    await crib.close();
    crib = await open({ commands: { allow: ['git *', 'timeout *'] } });
  });
  const bash = async (command: string) => crib.execute('bash_execution', { command });

  it.each([
    'git checkout .',
    'git checkout -- notes.txt',
    'git checkout HEAD notes.txt',
    'git restore notes.txt',
    'git restore --staged --worktree notes.txt',
    'git restore -SW notes.txt',
    'git reset --hard',
    'git reset -q --hard HEAD',
    'git clean -fd',
    'git status && git checkout .',
    'timeout 9 git checkout notes.txt',
    'git --no-pager checkout .',
  ])('%s is refused, and names the tool whose checkout can be undone', async (command) => {
    const { error } = await bash(command);
    expect(error?.code).toBe('PERMISSION_DENIED');
    if (!command.includes('clean')) expect(error?.suggestions?.[0]).toContain('tool git');
    expect(workspace.text('notes.txt')).toBe('one\ntwo\n');
  });

  it.each([
    'git checkout -b feature',
    'git checkout -qb feature',
    'git switch -c feature',
    'git restore --staged notes.txt',
    'git reset --soft HEAD',
    'git reset HEAD notes.txt',
    'git stash push -m wip',
    'git merge --ff-only main',
  ])('control: %s runs', async (command) => {
    const { data, error } = await bash(command);
    expect(error).toBeUndefined();
    expect(data).toMatchObject({ exitCode: 0 });
  });
});

/** Plants what it can into a repository and the workspace. `$1` is what it tries. */
const PLANT = `
mkdir -p .git/hooks; printf '#!/bin/sh\\ntouch pwned\\n' > .git/hooks/post-commit
printf '[core]\\n fsmonitor = touch pwned\\n' > .git/config
printf x > .git/config.worktree; printf evil > .git/commondir; mkdir -p .git/modules/m .git/info
printf x > .git/info/attributes; mv .git old; rm -rf .git
mkdir -p .toolcrib .vscode deep/er/.git; printf x > .toolcrib/config.yml; printf x > .vscode/tasks.json
printf x > deep/er/.git/config; printf x > .bashrc; ln -s /nowhere .idea; printf ok > plain.txt
`;

describe.skipIf(missing)('threat: names that programs trust, made anew', () => {
  const inert = () =>
    readdirSync(workspace.root, { recursive: true })
      .map(String)
      .filter((name) => !name.startsWith('.git/') && !/(?:^|\/)refused-[^/]+-/.test(name))
      .sort();

  it('what a program plants has no effect afterwards, and the call says so', async () => {
    await crib.close();
    crib = await open({ commands: { allow: ['bash plant.sh'] } });
    workspace.put('plant.sh', PLANT);
    const before = readFileSync(join(workspace.root, '.git/config'), 'utf8');
    const { error } = await crib.execute('bash_execution', { command: 'bash', args: ['plant.sh'] });
    expect(error).toMatchObject({ code: 'SECURITY_VIOLATION' });
    expect(readFileSync(join(workspace.root, '.git/config'), 'utf8')).toBe(before);
    expect(existsSync(join(workspace.root, '.git/hooks/post-commit'))).toBe(false);
    expect(existsSync(join(workspace.root, '.git/commondir'))).toBe(false);
    expect(inert()).toEqual(['.git', 'deep', 'deep/er', 'notes.txt', 'plain.txt', 'plant.sh']);
    workspace.git('commit', '-qam', 'Still works');
    expect(existsSync(join(workspace.root, 'pwned'))).toBe(false);
  });

  it('control: a program that makes ordinary files is left alone', async () => {
    await crib.close();
    crib = await open({ commands: { allow: ['bash make.sh'] } });
    workspace.put('make.sh', 'mkdir -p src/.hidden; echo x > src/.hidden/a; echo y > .gitignore');
    expect(await call('bash_execution', { command: 'bash', args: ['make.sh'] })).toMatchObject({
      success: true,
    });
    expect(existsSync(join(workspace.root, 'src/.hidden/a'))).toBe(true);
  });
});

describe.skipIf(missing)('npm_install in the sandbox', () => {
  let registry: NpmRegistry;
  beforeAll(async () => {
    const touch = "node -e \"require('fs').writeFileSync(process.env.INIT_CWD+'/pwned','')\"";
    registry = await openNpmRegistry([
      { name: 'left-pad', version: '1.3.0' },
      { name: 'scripted', version: '1.0.0', manifest: { scripts: { postinstall: touch } } },
      { name: '@scope/tree', version: '2.0.0', manifest: { dependencies: { 'left-pad': '1' } } },
    ]);
    // As a user would set it; npm itself is asked for it.
    vi.stubEnv('npm_config_registry', registry.url);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await registry.close();
  });
  beforeEach(async () => {
    workspace.put('package.json', '{"name":"app","version":"1.0.0"}');
    await crib.close();
    crib = await open({ egress: { allowPrivate: ['127.0.0.1'] } });
  });

  it('installs from the registry of the user, and runs no script', async () => {
    const packages = [{ name: '@scope/tree' }, { name: 'scripted' }];
    const { dependencies, installedVersion } = await call('npm_install', { packages });
    expect(installedVersion).toBe('2.0.0');
    expect([...(dependencies as string[])].sort()).toEqual([
      '@scope/tree@2.0.0',
      'left-pad@1.3.0',
      'scripted@1.0.0',
    ]);
    expect(workspace.text('node_modules/left-pad/index.js')).toContain('1.3.0');
    expect(existsSync(join(workspace.root, 'pwned'))).toBe(false);
    expect(approved).toEqual(['npm_install']);
  });

  it('threat: a lock file that leads elsewhere, and a registry of the project, reach nobody', async () => {
    const other = await openNpmRegistry([{ name: 'left-pad', version: '9.9.9' }]);
    workspace.put('.npmrc', `registry=${other.url}\n`);
    await call('npm_install', { package: 'left-pad' });
    expect(workspace.text('package-lock.json')).toContain(registry.url);
    const lock = workspace.text('package-lock.json').replaceAll(registry.url, other.url);
    workspace.put('package-lock.json', lock);
    workspace.git('clean', '-qfdx', 'node_modules');
    const { error } = await crib.execute('npm_install', {});
    expect(error).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(other.requests).toEqual([]);
    await other.close();
  });

  it('threat: a local registry is not reached unless the configuration allows it', async () => {
    await crib.close();
    crib = await open();
    const asked = registry.requests.length;
    const { error } = await crib.execute('npm_install', { package: 'left-pad' });
    expect(error).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(registry.requests.length).toBe(asked);
  });
});
