/** The development tools through a whole crib: approved by a callback, run in the process sandbox. */
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createGitWorkspace, type GitWorkspace } from '../../../test/fixtures/git-workspace.ts';
import { type NpmRegistry, openNpmRegistry } from '../../../test/fixtures/npm-registry.ts';
import type { ApprovalRequest } from '../../contract/approver.ts';
import type { Crib } from '../../contract/crib.ts';
import { createCrib } from '../../crib/create-crib.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Bubblewrap is not installed; in CI that is a failure. */
const missing = !existsSync('/usr/bin/bwrap') && process.env.CI === undefined;
if (missing) console.log('Skipped: bubblewrap is missing (scripts/install-sandbox-tools.sh)');

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
