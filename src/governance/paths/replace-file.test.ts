/** Atomic replacement: no half file, no leftover, and nothing covered that came up meanwhile. */
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bestVerification, type Folder, openFolder } from './open-verified.ts';
import { replaceFile } from './replace-file.ts';

let root: string;
let folder: Folder;

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'replace-')));
  writeFileSync(join(root, 'a'), 'old');
  folder = await openFolder({ path: root, verification: bestVerification() });
});

afterEach(async () => {
  await folder.close();
  rmSync(root, { recursive: true, force: true });
});

const bytes = Buffer.from('new');
const fine = () => Promise.resolve();

it('replaceFile shows the old file until the last step, then the new one', async () => {
  let seen = '';
  await replaceFile(folder, 'a', {
    bytes,
    replaces: true,
    confirm: async () => {
      seen = readFileSync(join(root, 'a'), 'utf8');
    },
  });
  expect(seen).toBe('old');
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('new');
  expect(readdirSync(root)).toEqual(['a']);
});

it('replaceFile leaves no temporary file when the last check fails', async () => {
  const confirm = () => Promise.reject(new Error('changed'));
  await expect(replaceFile(folder, 'a', { bytes, replaces: true, confirm })).rejects.toThrow();
  expect(readdirSync(root)).toEqual(['a']);
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('old');
});

it('replaceFile leaves no temporary file when the name is a folder', async () => {
  const inner = await folder.enter('sub');
  await inner.close();
  await expect(
    replaceFile(folder, 'sub', { bytes, replaces: true, confirm: fine }),
  ).rejects.toMatchObject({ code: 'EISDIR' });
  expect(readdirSync(root)).toEqual(['a', 'sub']);
});

it('replaceFile never replaces a file that appeared since', async () => {
  await expect(
    replaceFile(folder, 'a', { bytes, replaces: false, confirm: fine }),
  ).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('old');
  expect(readdirSync(root)).toEqual(['a']);
});

it('replaceFile makes a new file with one name', async () => {
  await replaceFile(folder, 'b', { bytes, replaces: false, confirm: fine });
  expect(readdirSync(root)).toEqual(['a', 'b']);
});

it('replaceFile keeps the new content when the owner cannot be restored', async () => {
  const owner = { uid: 2 ** 40, gid: 2 ** 40 };
  await replaceFile(folder, 'a', { bytes, mode: 0o640, owner, replaces: true, confirm: fine });
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('new');
});

it('replaceFile leaves nothing behind when the folder is gone', async () => {
  rmSync(root, { recursive: true });
  await expect(
    replaceFile(folder, 'a', { bytes, replaces: false, confirm: fine }),
  ).rejects.toMatchObject({ code: 'ENOENT' });
});
