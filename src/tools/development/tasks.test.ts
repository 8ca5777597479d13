/** Tests and builds that the configuration names run as they are written there, and nothing else does. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createGitWorkspace, type GitWorkspace } from '../../../test/fixtures/git-workspace.ts';
import { isMissing } from '../../../test/fixtures/needed-programs.ts';
import type { Crib } from '../../contract/crib.ts';
import { createCrib } from '../../crib/create-crib.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Bubblewrap is not installed; in CI that is a failure. */
const missing = isMissing('bwrap');

let workspace: GitWorkspace;
let crib: Crib;
let cache: string;

beforeEach(async () => {
  workspace = createGitWorkspace();
  cache = mkdtempSync(join(tmpdir(), 'toolcrib-cache-'));
  const pack = { name: 'a', scripts: { test: 'node -e "console.log(6*7)"' } };
  workspace.put('packages/a/package.json', JSON.stringify(pack));
  workspace.put('packages/b/package.json', JSON.stringify(pack));
  workspace.put('build.sh', 'echo built > "$CACHE/out"; cat "$CACHE/out"\n');
  const tasks = [
    { run: 'npm test', cwd: 'packages/a' },
    { run: 'bash build.sh', write: [cache], env: { CACHE: cache } },
    { run: 'git commit -am Work' },
  ];
  crib = await createCrib({
    root: workspace.root,
    store: 'memory',
    config: { commands: { tasks } },
    approver: () => true,
    watch: false,
  });
});
afterEach(async () => {
  await crib.close();
  workspace.remove();
  rmSync(cache, { recursive: true, force: true });
});

describe.skipIf(missing)('a command that goes wrong', () => {
  it('keeps what it printed when its time is over', async () => {
    workspace.put('build.sh', 'echo step one; echo trouble >&2; sleep 30\n');
    const input = { command: 'bash build.sh', timeout: 3_000 };
    const { error, status } = await crib.execute('bash_execution', input);
    expect([status, error?.code]).toEqual(['timeout', 'TIMEOUT']);
    expect(error?.message).toMatch(/step one\ntrouble/);
  });

  it('is named in the refusal of a line', async () => {
    const { error } = await crib.execute('bash_execution', { command: 'bash build.sh && npx foo' });
    expect(error?.message).toContain('Command 1 of 2 (bash)');
  });

  it('is named when its program is not installed', async () => {
    await crib.close();
    crib = await createCrib({
      root: workspace.root,
      store: 'memory',
      config: { commands: { allow: ['nosuchprogram --version'] } },
      approver: () => true,
      watch: false,
    });
    const input = { command: 'nosuchprogram', args: ['--version'] };
    const { error } = await crib.execute('bash_execution', input);
    expect(error?.code).toBe('DEPENDENCY_MISSING');
    expect(JSON.stringify(error)).toContain('nosuchprogram');
  });
});

const bash = async (command: string, more: object = {}) => {
  const { data, error } = await crib.execute('bash_execution', { command, ...more });
  return { ...(data as { stdout?: string; exitCode?: number } | undefined), code: error?.code };
};

describe.skipIf(missing)('a task of the configuration', () => {
  it('runs in its folder, and in no other', async () => {
    expect((await bash('npm test', { cwd: 'packages/a' })).stdout).toContain('42');
    expect((await bash('npm', { args: ['test'], cwd: 'packages/a' })).stdout).toContain('42');
    for (const cwd of ['.', 'packages/b']) {
      expect((await bash('npm test', { cwd })).code).toBe('PERMISSION_DENIED');
    }
  });

  it('threat: more words, or more commands, are no task', async () => {
    for (const command of [
      'npm test -- x',
      'npm test; id',
      'npm test && npm test',
      'npm run test',
    ]) {
      expect((await bash(command, { cwd: 'packages/a' })).code).toBe('PERMISSION_DENIED');
    }
  });

  it('writes the folders that it was given, and git commits', async () => {
    expect((await bash('bash build.sh')).stdout).toBe('built\n');
    expect(existsSync(join(cache, 'out'))).toBe(true);
    writeFileSync(join(workspace.root, 'notes.txt'), 'three\n');
    expect(await bash('git commit -am Work')).toMatchObject({ exitCode: 0 });
    expect(workspace.git('log', '-1', '--format=%s')).toBe('Work\n');
  });
});
