import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFile, putFile, replaceFile } from './replace-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'replace-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const modeOf = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;

describe('putFile', () => {
  it('replaces a link instead of writing to the file that it points at', async () => {
    const [victim, file] = [join(folder, 'victim'), join(folder, 'file')];
    await writeFile(victim, 'precious');
    await symlink(victim, file);
    expect(await putFile(file, 'new')).toBe(true);
    expect(await readFile(victim, 'utf8')).toBe('precious');
    expect((await lstat(file)).isFile()).toBe(true);
    expect(await modeOf(file)).toBe(0o600);
  });

  it('leaves the old file and no draft when it is not confirmed', async () => {
    const file = join(folder, 'file');
    await writeFile(file, 'old');
    expect(await putFile(file, 'new', { confirm: async () => false })).toBe(false);
    expect(await readFile(file, 'utf8')).toBe('old');
    expect(await readdir(folder)).toEqual(['file']);
  });
});

describe('createFile', () => {
  it('lets one of many writers win, and keeps its content', async () => {
    const file = join(folder, 'file');
    const names = Array.from({ length: 8 }, (_, index) => `writer ${index}`);
    const won = await Promise.all(names.map((name) => createFile(file, name)));
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await readFile(file, 'utf8')).toBe(names[won.indexOf(true)]);
    expect(await readdir(folder)).toEqual(['file']);
  });

  it('says why it cannot make the file', async () => {
    await expect(createFile(join(folder, 'none', 'file'), 'x')).rejects.toThrow('ENOENT');
  });
});

describe('replaceFile', () => {
  it('writes through a link and keeps the mode of the file', async () => {
    const [real, file] = [join(folder, 'real'), join(folder, 'file')];
    await writeFile(real, 'old', { mode: 0o640 });
    await symlink(real, file);
    await replaceFile(file, 'new');
    expect((await lstat(file)).isSymbolicLink()).toBe(true);
    expect(await readFile(real, 'utf8')).toBe('new');
    expect(await modeOf(real)).toBe(0o640);
  });

  it('makes a new file with its folders', async () => {
    const file = join(folder, 'a', 'b', 'file');
    await replaceFile(file, 'new');
    expect(await readFile(file, 'utf8')).toBe('new');
  });

  it('fails for a folder in the place of the file and leaves no draft', async () => {
    await mkdir(join(folder, 'file'));
    await expect(replaceFile(join(folder, 'file'), 'x')).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['file']);
  });
});
