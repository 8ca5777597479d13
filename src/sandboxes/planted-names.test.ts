/** Names that programs trust, planted between two looks: found, taken out of effect, nothing else touched. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findMasked, type Masks } from './find-masked.ts';
import { watchPlanted } from './planted-names.ts';

const masks: Masks = {
  isSecret: ({ below }) => below.at(-1) === '.env',
  isProtected: (below, above) =>
    above.at(-1) === '.git'
      ? below[0] === 'config' || below[0] === 'hooks'
      : below.some((name) => name === '.git' || name === '.bashrc'),
};

let root = '';
const at = (path: string) => join(root, path);
const put = (path: string, text = 'x') => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
};
const grant = (path = '.', writable = true) => ({
  path: join(root, path),
  source: join(root, path),
  writable,
  isFolder: true,
});
const watch = (...grants: ReturnType<typeof grant>[]) =>
  watchPlanted(grants.length > 0 ? grants : [grant()], masks, Math.random);
const names = () => readdirSync(root, { recursive: true }).map(String).sort();
const planted = { code: 'SECURITY_VIOLATION' };

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'toolcrib-planted-'));
  put('.git/config', 'mine');
  put('sub/.git/config', 'mine');
  put('src/a.ts');
});
afterEach(() => rmSync(root, { recursive: true }));

describe('threat: names planted during a run are renamed', () => {
  it.each(['.bashrc', 'src/.git/hooks/post-commit', 'new/er/.bashrc'])('%s', (path) => {
    const before = watch();
    put(path);
    expect(() => before.settle()).toThrow(expect.objectContaining(planted));
    expect(names().filter((name) => /(?:^|\/)\.(?:git|bashrc)$/.test(name))).toEqual([
      '.git',
      'sub/.git',
    ]);
    expect(names().filter((name) => /refused-\w+-(?:git|bashrc)$/.test(name))).toHaveLength(1);
    expect(() => watch().settle()).not.toThrow();
  });

  it('a link of such a name, and one that leads elsewhere now', () => {
    symlinkSync('src', at('.bashrc'));
    const before = watch();
    unlinkSync(at('.bashrc'));
    symlinkSync('/etc', at('.bashrc'));
    symlinkSync('src', at('src/.git'));
    expect(() => before.settle()).toThrow(expect.objectContaining(planted));
    expect(readlinkSync(at('.bashrc'))).toBe('src');
    expect(readdirSync(at('src')).some((name) => name === '.git')).toBe(false);
  });

  it('another folder in the place of one that was moved away', () => {
    const before = watch();
    renameSync(at('sub'), at('old'));
    put('sub/.git/config', 'theirs');
    expect(() => before.settle()).toThrow(expect.objectContaining(planted));
    expect(readFileSync(at('old/.git/config'), 'utf8')).toBe('mine');
    expect(readdirSync(at('sub'))).not.toContain('.git');
  });

  it('a folder that was closed behind it', () => {
    const before = watch();
    put('src/.git/config');
    chmodSync(at('src'), 0);
    expect(() => before.settle()).toThrow(expect.objectContaining(planted));
    expect(readdirSync(at('src')).includes('.git')).toBe(false);
  });

  it('in a repository that is granted for itself, its hooks and configuration', () => {
    rmSync(at('.git/config'));
    const before = watch(grant(), grant('.git'));
    put('.git/index');
    put('.git/hooks/post-commit');
    put('.git/config');
    expect(() => before.settle()).toThrow(expect.objectContaining(planted));
    expect(readdirSync(at('.git')).filter((name) => !name.startsWith('refused-'))).toEqual([
      'index',
    ]);
  });
});

describe('benign: watchPlanted leaves alone', () => {
  it('ordinary files, protected ones that stay or move, and paths granted for reading', () => {
    const before = watch();
    put('src/b.ts');
    put('deep/.gitignore');
    renameSync(at('sub'), at('moved'));
    expect(() => before.settle()).not.toThrow();
    const readable = watch(grant('.', false));
    put('.bashrc');
    expect(() => readable.settle()).not.toThrow();
  });

  it('a protected file at the top that its owner replaces meanwhile', () => {
    put('.bashrc', 'old');
    const before = watch();
    writeFileSync(at('x'), 'new');
    renameSync(at('x'), at('.bashrc'));
    expect(() => before.settle()).not.toThrow();
    expect(readFileSync(at('.bashrc'), 'utf8')).toBe('new');
  });
});

describe('findMasked', () => {
  it('covers a protected folder once, and each secret in it', () => {
    for (let i = 0; i < 50; i += 1) put(`.git/objects/${i}`);
    put('.git/.env');
    const found = findMasked({ root, writable: true, masks });
    expect(found.map(({ path, as }) => [path.slice(root.length + 1), as]).sort()).toEqual([
      ['.git', 'read-only'],
      ['.git/.env', 'empty-file'],
      ['sub/.git', 'read-only'],
    ]);
  });

  it('keeps folders in place without whose names a secret would be a file like others', () => {
    put('home/.docker/config.json');
    put('home/.env');
    const byPath = {
      ...masks,
      isSecret: ({ below }: { readonly below: readonly string[] }) =>
        below.at(-1) === '.env' || below.slice(-2).join('/') === '.docker/config.json',
    };
    const inPlace = (writable: boolean) =>
      findMasked({ root, writable, masks: byPath })
        .filter(({ as }) => as === 'in-place')
        .map(({ path }) => path.slice(root.length + 1));
    expect(inPlace(true)).toEqual(['home/.docker']);
    expect(inPlace(false)).toEqual([]);
  });
});
