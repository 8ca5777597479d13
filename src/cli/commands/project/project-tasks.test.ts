/** The tasks that `init` offers for Python, Rust and Go run with the real programs, in the sandbox. */
import { existsSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isMissing } from '../../../../test/fixtures/needed-programs.ts';
import { createWorkspace, type Workspace } from '../../../../test/fixtures/workspace.ts';
import type { Crib } from '../../../contract/crib.ts';
import { createCrib } from '../../../crib/create-crib.ts';
import { projectCommands } from './project-tasks.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

const HOME = homedir();
/** Where a program has to lie for a sandboxed task to find it. */
const SYSTEM = ['/usr/local/bin', '/usr/bin', '/bin'];

const missingOf = (program: string, folders: readonly string[], install: string) => {
  if (isMissing('bwrap')) return true;
  const isThere = [...SYSTEM, ...folders].some((folder) => existsSync(join(folder, program)));
  if (!isThere) console.log(`Skipped: ${program} is missing (${install})`);
  return !isThere;
};

let workspace: Workspace;
let crib: Crib | undefined;

beforeEach(() => {
  workspace = createWorkspace();
});
afterEach(async () => {
  await crib?.close();
  crib = undefined;
  workspace.remove();
});

/** Runs the only task that is offered for the files of the workspace. */
const runOffered = async (command: string) => {
  const { tasks } = projectCommands(workspace.root, { HOME });
  expect(tasks.map(({ run }) => run)).toEqual([command]);
  const config: object = { commands: { tasks } };
  crib = await createCrib({
    root: workspace.root,
    store: 'memory',
    config,
    approver: () => true,
    watch: false,
  });
  const { data, error } = await crib.execute('bash_execution', { command, timeout: 120_000 });
  expect(error).toBeUndefined();
  return data as { exitCode: number; stdout: string; stderr: string };
};

describe('a virtual environment', () => {
  const offered = (home: string) =>
    projectCommands(workspace.root, { HOME: join(workspace.root, home) }).tasks;

  beforeEach(() => {
    workspace.put('pyproject.toml', '[project]\n');
    workspace.put('.venv/bin/pytest', '');
  });

  it('is used, with the interpreter of a version manager in sight', () => {
    workspace.put('home/.pyenv/versions/3.12.1/bin/python3.12', '');
    const python = join(workspace.root, 'home/.pyenv/versions/3.12.1/bin/python3.12');
    symlinkSync(python, join(workspace.root, '.venv/bin/python'));
    const read = [realpathSync(join(workspace.root, 'home/.pyenv/versions/3.12.1'))];
    expect(offered('home')).toEqual([{ run: '.venv/bin/pytest -q', read }]);
  });

  it.each([
    'home/bin/python',
    'home/.local/bin/python',
    'home/.pyenv/versions/python',
    'home/.pyenv/versions/3.12.1/deep/bin/python',
  ])('hostile: a link to %s opens no other folder', (target) => {
    workspace.put('home/.pyenv/versions/3.12.1/bin/python3.12', '');
    workspace.put(target, '');
    symlinkSync(join(workspace.root, target), join(workspace.root, '.venv/bin/python'));
    expect(offered('home')).toEqual([{ run: '.venv/bin/pytest -q' }]);
  });

  it('benign: one without pytest leaves the system’s', () => {
    rmSync(join(workspace.root, '.venv/bin/pytest'));
    expect(offered('home')).toEqual([{ run: 'pytest -q' }]);
  });
});

describe.skipIf(missingOf('pytest', [], 'apt-get install python3-pytest'))('pytest', () => {
  it('runs the tests of a Python project and reports a failing one', async () => {
    workspace.put('pyproject.toml', '[project]\nname = "app"\nversion = "1"\n');
    workspace.put('test_app.py', 'def test_sum():\n    assert 1 + 1 == 2\n');
    expect(await runOffered('pytest -q')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('1 passed'),
    });
    workspace.put('test_app.py', 'def test_sum():\n    assert 1 + 1 == 3\n');
    const { data } = await (crib as Crib).execute('bash_execution', { command: 'pytest -q' });
    expect(data).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('1 failed') });
  });
});

describe.skipIf(missingOf('cargo', [join(HOME, '.cargo/bin')], 'apt-get install cargo'))(
  'cargo',
  () => {
    it('runs the tests of a Rust project', async () => {
      workspace.put('Cargo.toml', '[package]\nname = "app"\nversion = "1.0.0"\n');
      const source = '#[test]\nfn sums() {\n    assert_eq!(1 + 1, 2);\n}\n';
      workspace.put('src/lib.rs', source);
      const outcome = await runOffered('cargo test');
      expect([outcome.exitCode, outcome.stderr]).toEqual([0, expect.anything()]);
      expect(outcome.stdout).toContain('1 passed');
    });
  },
);

describe.skipIf(missingOf('go', [], 'apt-get install golang-go'))('go', () => {
  it('runs the tests of a Go module', async () => {
    workspace.put('go.mod', 'module example.org/app\n\ngo 1.19\n');
    const test = 'func TestSum(t *testing.T) {\n\tif 1+1 != 2 {\n\t\tt.Fatal("sum")\n\t}\n}\n';
    workspace.put('app_test.go', `package app\n\nimport "testing"\n\n${test}`);
    const outcome = await runOffered('go test ./...');
    expect([outcome.exitCode, outcome.stderr]).toEqual([0, '']);
    expect(outcome.stdout).toContain('ok');
  });
});
