import { type Dirent, linkSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createWorkspace, type Workspace } from '../../../test/fixtures/workspace.ts';
import { assertNoSecretName } from './file-access.ts';

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return { ...real, lstat: vi.fn(real.lstat), readdir: vi.fn(real.readdir) };
});

let outside: Workspace;
let workspace: Workspace;
beforeEach(() => {
  workspace = createWorkspace({});
  outside = createWorkspace({});
  writeFileSync(join(workspace.root, 'a.txt'), 'a');
});
afterEach(() => {
  workspace.remove();
  outside.remove();
});

const link = (name: string): void =>
  linkSync(join(workspace.root, 'a.txt'), join(workspace.root, name));

const check = (below: readonly string[] = ['a.txt']): Promise<void> =>
  assertNoSecretName({
    root: workspace.root,
    below,
    stats: lstatSync(join(workspace.root, 'a.txt')),
    isSecret: (path) => basename(path) === '.env',
  });

const REFUSED = { code: 'SECURITY_VIOLATION' };

it('a file with one name is read without a search for other names', async () => {
  vi.mocked(readdir).mockClear();
  await expect(check()).resolves.toBeUndefined();
  expect(readdir).not.toHaveBeenCalled();
});

it('a file whose names all lie in the workspace and are harmless is read', async () => {
  mkdirSync(join(workspace.root, 'sub'));
  link('sub/b.txt');
  writeFileSync(join(workspace.root, 'other.txt'), 'x');
  symlinkSync('a.txt', join(workspace.root, 'soft'));
  await expect(check()).resolves.toBeUndefined();
});

it('threat: the path of such a file is not handed to a tool that opens it by itself', async () => {
  const needs = { needs: { paths: [{ path: '.', access: 'read' as const }] } };
  const { fs } = workspace.contextFor(needs as never);
  await expect(fs.resolve('a.txt', 'read')).resolves.toBe(join(workspace.root, 'a.txt'));
  link('.env');
  await expect(fs.resolve('a.txt', 'read')).rejects.toMatchObject(REFUSED);
  await expect(fs.resolve('.', 'read')).resolves.toBe(workspace.root);
});

it('threat: a file that has the name of a secret besides is refused', async () => {
  mkdirSync(join(workspace.root, 'sub'));
  link('sub/.env');
  await expect(check()).rejects.toMatchObject(REFUSED);
});

it('threat: a file with a name outside the workspace is refused, unless it is of a package', async () => {
  linkSync(join(workspace.root, 'a.txt'), join(outside.root, 'b.txt'));
  await expect(check()).rejects.toMatchObject(REFUSED);
  await expect(check(['node_modules', 'a.txt'])).resolves.toBeUndefined();
});

it('threat: a name in a folder of packages does not count', async () => {
  mkdirSync(join(workspace.root, 'node_modules'));
  link('node_modules/b.txt');
  await expect(check()).rejects.toMatchObject(REFUSED);
});

it('threat: a folder that cannot be listed hides no name', async () => {
  link('b.txt');
  vi.mocked(readdir).mockRejectedValueOnce(new Error('EACCES'));
  await expect(check()).rejects.toMatchObject(REFUSED);
});

it('threat: a hard link that vanishes during the search does not count', async () => {
  link('b.txt');
  vi.mocked(lstat).mockRejectedValueOnce(new Error('ENOENT'));
  await expect(check()).rejects.toMatchObject(REFUSED);
});

it('threat: a file in a workspace too large to search is refused', async () => {
  link('b.txt');
  const many = Array.from({ length: 50_001 }, () => ({}) as Dirent<NonSharedBuffer>);
  vi.mocked(readdir).mockResolvedValueOnce(many);
  vi.mocked(lstat).mockClear();
  await expect(check()).rejects.toMatchObject(REFUSED);
  expect(lstat).not.toHaveBeenCalled();
});
