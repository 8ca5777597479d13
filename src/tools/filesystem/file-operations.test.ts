/** file_operations: every operation, what each of them requires, and the tier of each. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runExample, runTool, titlesOf } from '../../../test/fixtures/run-tool.ts';
import { createWorkspace, type Workspace } from '../../../test/fixtures/workspace.ts';
import { restoreSnapshot } from '../../governance/paths/restore-snapshot.ts';
import { fileOperations } from './file-operations.ts';

let workspace: Workspace;
const run = (operation: string, path: string, more: object = {}) =>
  runTool(fileOperations, { operation, path, ...more }, workspace.contextFor(fileOperations));

beforeEach(() => {
  workspace = createWorkspace({ 'notes.txt': 'one\ntwo\nthree\n' });
});
afterEach(() => workspace.remove());

describe('file_operations examples', () => {
  it.each(titlesOf(fileOperations))(
    'the example "%s" gives the documented result',
    async (title) => {
      await runExample(fileOperations, title, workspace.contextFor(fileOperations));
    },
  );
});

describe('file_operations makes, copies and moves', () => {
  it('keeps the right to run a file when it is copied or moved, and gives none', async () => {
    workspace.put('run.sh', 'echo one');
    chmodSync(join(workspace.root, 'run.sh'), 0o755);
    await run('copy', 'run.sh', { newPath: 'bin/copy.sh' });
    await run('move', 'run.sh', { newPath: 'bin/moved.sh' });
    await run('copy', 'notes.txt', { newPath: 'bin/plain.txt' });
    const mayRun = ['copy.sh', 'moved.sh', 'plain.txt'].map(
      (name) => (statSync(join(workspace.root, 'bin', name)).mode & 0o100) !== 0,
    );
    expect(mayRun).toEqual([true, true, false]);
  });

  it('makes a directory, copies and moves a file, and undo takes each back', async () => {
    expect(await run('mkdir', 'src/deep')).toMatchObject({ operation: 'mkdir', path: 'src/deep' });
    await run('copy', 'notes.txt', { newPath: 'src/deep/copy.txt' });
    await run('move', 'notes.txt', { newPath: 'moved.txt' });
    expect(workspace.text('src/deep/copy.txt')).toBe('one\ntwo\nthree\n');
    expect(workspace.text('moved.txt')).toBe('one\ntwo\nthree\n');
    expect(existsSync(join(workspace.root, 'notes.txt'))).toBe(false);
    for (const snapshot of [...workspace.snapshots].reverse()) {
      await restoreSnapshot(workspace.guard, {
        ...snapshot,
        executionId: 'x',
        order: 0,
        keptAt: 0,
      });
    }
    expect(readdirSync(workspace.root)).toEqual(['notes.txt', 'src']);
    expect(readdirSync(join(workspace.root, 'src'))).toEqual([]);
  });

  it('overwrites nothing, and leaves protected names alone', async () => {
    workspace.put('other.txt', 'other');
    for (const [operation, path, newPath, code] of [
      ['copy', 'notes.txt', 'other.txt', 'CONFLICT'],
      ['move', 'notes.txt', 'other.txt', 'CONFLICT'],
      ['move', 'notes.txt', '.git/hooks/pre-commit', 'PERMISSION_DENIED'],
      ['copy', 'notes.txt', '.vscode/tasks.json', 'PERMISSION_DENIED'],
      ['copy', '.env', 'x.txt', 'PERMISSION_DENIED'],
      ['move', 'notes.txt', '../out.txt', 'SECURITY_VIOLATION'],
    ] as const) {
      await expect(run(operation, path, { newPath })).rejects.toMatchObject({ code });
    }
    await expect(run('mkdir', '.git')).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    await expect(run('mkdir', 'other.txt')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(workspace.text('notes.txt')).toBe('one\ntwo\nthree\n');
    expect(workspace.text('other.txt')).toBe('other');
  });
});

describe('file_operations on whole folders', () => {
  const undoAll = async () => {
    for (const snapshot of workspace.snapshots.toReversed()) {
      await restoreSnapshot(workspace.guard, snapshot);
    }
  };
  const namesBelow = (path = '.') =>
    readdirSync(join(workspace.root, path), { recursive: true }).map(String).sort();

  beforeEach(() => {
    workspace.put('src/a.ts', 'a');
    workspace.put('src/deep/run.sh', 'echo one');
    chmodSync(join(workspace.root, 'src/deep/run.sh'), 0o755);
    mkdirSync(join(workspace.root, 'src/empty'));
  });

  it('copies a folder with its scripts and empty folders, and undo takes the copy back', async () => {
    const before = namesBelow();
    expect(await run('copy', 'src', { newPath: 'lib' })).toMatchObject({
      newPath: 'lib',
      files: 2,
      bytesWritten: 9,
      backup: true,
    });
    expect(namesBelow('lib')).toEqual(namesBelow('src'));
    expect(statSync(join(workspace.root, 'lib/deep/run.sh')).mode & 0o100).toBe(0o100);
    await undoAll();
    expect(namesBelow()).toEqual(before);
  });

  it('moves a folder, and undo brings it back', async () => {
    const before = namesBelow();
    await run('move', 'src', { newPath: 'packages/app' });
    expect(existsSync(join(workspace.root, 'src'))).toBe(false);
    expect(workspace.text('packages/app/deep/run.sh')).toBe('echo one');
    await undoAll();
    expect(namesBelow().filter((name) => name !== 'packages')).toEqual(before);
    expect(statSync(join(workspace.root, 'src/deep/run.sh')).mode & 0o100).toBe(0o100);
  });

  it('leaves secrets where they are, and says so when a folder is moved', async () => {
    workspace.put('src/deep/.env', 'KEY=canary');
    await run('copy', 'src', { newPath: 'lib' });
    expect(existsSync(join(workspace.root, 'lib/deep/.env'))).toBe(false);
    const warnings: string[] = [];
    const context = workspace.contextFor(fileOperations, {
      warn: (text) => void warnings.push(text),
    });
    await runTool(fileOperations, { operation: 'move', path: 'src', newPath: 'app' }, context);
    expect(namesBelow('src')).toEqual(['deep', 'deep/.env']);
    expect(workspace.text('app/a.ts')).toBe('a');
    expect(warnings).toEqual([expect.stringContaining('stay in the old folder')]);
  });

  it('threat: a link in the folder is not followed out of the workspace, nor copied', async () => {
    for (const target of ['/etc', '/etc/passwd', '../notes.txt']) {
      symlinkSync(target, join(workspace.root, 'src/link'));
      for (const operation of ['copy', 'move']) {
        const failure = run(operation, 'src', { newPath: 'lib' });
        await expect(failure).rejects.toMatchObject({
          code: 'CONFLICT',
          message: expect.stringContaining('src/link'),
        });
      }
      rmSync(join(workspace.root, 'src/link'));
    }
    expect(existsSync(join(workspace.root, 'lib'))).toBe(false);
  });

  it('threat: a folder with names that programs trust is not copied into effect', async () => {
    workspace.put('src/plan/tasks.json', '{}');
    await expect(run('copy', 'src/plan', { newPath: '.vscode' })).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    workspace.put('src/plan/.mcp.json', '{}');
    for (const operation of ['copy', 'move']) {
      await expect(run(operation, 'src', { newPath: 'lib' })).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
      });
    }
    for (const part of ['HEAD', 'config', 'objects/x', 'refs/x']) workspace.put(`odd/${part}`, 'x');
    await expect(run('copy', 'odd', { newPath: 'repo' })).rejects.toMatchObject({
      code: 'SECURITY_VIOLATION',
    });
    expect(existsSync(join(workspace.root, 'lib'))).toBe(false);
    expect(existsSync(join(workspace.root, 'repo'))).toBe(false);
  });

  it.each([
    ['src', 'src/deep/again', 'CONFLICT'],
    ['src', 'src', 'CONFLICT'],
    ['src', 'notes.txt', 'CONFLICT'],
    ['src', '../out', 'SECURITY_VIOLATION'],
    ['.', 'copy', 'CONFLICT'],
  ])('does not copy %s to %s', async (path, newPath, code) => {
    const before = namesBelow();
    await expect(run('copy', path, { newPath })).rejects.toMatchObject({ code });
    await expect(run('move', path, { newPath })).rejects.toMatchObject({ code });
    expect(namesBelow()).toEqual(before);
  });

  it('refuses a folder with too many entries before it changes anything', async () => {
    for (let n = 0; n <= 2_000; n += 1) workspace.put(`many/${n}`, '');
    await expect(run('copy', 'many', { newPath: 'lib' })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('2000'),
    });
    expect(existsSync(join(workspace.root, 'lib'))).toBe(false);
  });
});

describe('file_operations', () => {
  it('reads a text file', async () => {
    expect(await run('read', './notes.txt')).toEqual({
      operation: 'read',
      path: 'notes.txt',
      content: 'one\ntwo\nthree\n',
    });
  });

  it('writes a file and makes its directories', async () => {
    expect(await run('write', 'x/y.txt', { content: 'ü' })).toEqual({
      operation: 'write',
      path: 'x/y.txt',
      bytesWritten: 2,
      created: true,
      backup: true,
    });
    expect(await run('write', 'x/y.txt', { content: '', backup: false })).toEqual({
      operation: 'write',
      path: 'x/y.txt',
      bytesWritten: 0,
      created: false,
    });
    expect(workspace.snapshots).toHaveLength(2);
  });

  it('edits literally: neither pattern nor replacement is special', async () => {
    workspace.put('a', 'a.c abc a.c');
    const more = { pattern: 'a.c', replacement: '$&$1' };
    expect(await run('edit', 'a', more)).toMatchObject({ replacements: 2, bytesWritten: 13 });
    expect(workspace.text('a')).toBe('$&$1 abc $&$1');
  });

  it('edits by regular expression, line by line, with groups', async () => {
    const more = { pattern: '^t(?<rest>\\w+)$', replacement: 'T<$<rest>|$1>', regex: true };
    expect(await run('edit', 'notes.txt', more)).toMatchObject({ replacements: 2 });
    expect(workspace.text('notes.txt')).toBe('one\nT<wo|wo>\nT<hree|hree>\n');
  });

  it('lists a directory, looks for a path, and deletes', async () => {
    workspace.put('sub/a', 'a');
    workspace.put('.env', 'KEY=canary');
    expect(await run('list', '.')).toMatchObject({
      entries: [
        { path: 'notes.txt', kind: 'file', size: 14 },
        { path: 'sub', kind: 'directory' },
      ],
    });
    expect(await run('exists', 'sub')).toMatchObject({ exists: true, kind: 'directory' });
    expect(await run('delete', './sub/a')).toEqual({
      operation: 'delete',
      path: 'sub/a',
      backup: true,
    });
    await run('delete', 'sub');
    expect(existsSync(join(workspace.root, 'sub'))).toBe(false);
  });

  it('keeps a backup that brings a deleted file back', async () => {
    await run('delete', 'notes.txt');
    expect(readdirSync(workspace.root)).toEqual([]);
    for (const snapshot of workspace.snapshots) await restoreSnapshot(workspace.guard, snapshot);
    expect(workspace.text('notes.txt')).toBe('one\ntwo\nthree\n');
  });
});

describe('file_operations refusals', () => {
  it.each([
    ['write', {}],
    ['edit', { pattern: 'a' }],
    ['edit', { replacement: 'a' }],
    ['edit', { pattern: '', replacement: 'a' }],
    ['rename', {}],
    ['constructor', {}],
    ['read', { mode: 1 }],
  ])('does not take %s with %j', async (operation, more) => {
    await expect(run(operation, 'notes.txt', more)).rejects.toMatchObject({ name: 'ZodError' });
  });

  it('answers an edit that finds nothing, or a pattern that is none', async () => {
    const edit = (pattern: string, regex: boolean) =>
      run('edit', 'notes.txt', { pattern, replacement: 'x', regex });
    await expect(edit('four', false)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(edit('fo+ur', true)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(edit('(', true)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(edit('(a)\\1', true)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(workspace.snapshots).toEqual([]);
  });

  it('runs in linear time a pattern that backtracks in other engines', {
    timeout: 5000,
  }, async () => {
    workspace.put('a', `${'a'.repeat(100_000)}!`);
    await expect(
      run('edit', 'a', { pattern: '^(a+)+$', replacement: 'x', regex: true }),
    ).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it.each(['read', 'write', 'edit', 'list', 'delete', 'exists'])(
    'keeps %s inside and away from secrets',
    async (operation) => {
      const more = { content: 'x', pattern: 'a', replacement: 'b' };
      await expect(run(operation, '../x', more)).rejects.toMatchObject({
        code: 'SECURITY_VIOLATION',
      });
      await expect(run(operation, '.ssh/id_rsa', more)).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
      });
    },
  );

  it('does not delete a directory that holds something', async () => {
    workspace.put('sub/a', 'a');
    await expect(run('delete', 'sub')).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(run('delete', '.')).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});

it('file_operations says how dangerous each of its operations is', () => {
  const tiers = Object.fromEntries(fileOperations.capabilities.map((each) => [each.action, each]));
  for (const action of ['read', 'list', 'exists']) expect(tiers[action]?.tier).toBe('read_only');
  for (const action of ['write', 'edit']) expect(tiers[action]?.destructive).toBeUndefined();
  expect(tiers.delete).toMatchObject({ destructive: true, requiresConfirmation: true });
  expect(fileOperations.actionField).toBe('operation');
});
