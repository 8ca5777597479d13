import fs, { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { namesBranches } from './branch-names.ts';

let root = '';
const put = (path: string, text = ''): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'toolcrib-branches-'));
  put('.git/HEAD');
  put('.git/refs/heads/fix-token');
  put('.git/refs/heads/add/secret');
  put('.git/refs/heads/passwords.txt');
  put('.git/refs/remotes/origin/api-key');
  put('passwords.txt');
});
afterAll(() => rmSync(root, { recursive: true }));

describe('a word of git that names branches', () => {
  it.each([
    ...['fix-token', 'add/secret', 'origin/api-key', 'HEAD..fix-token', 'fix-token...HEAD~2'],
    ...['fix-token^', 'fix-token@{1}', '@..add/secret', '^fix-token', '..fix-token', 'ab12..HEAD'],
  ])('benign: %s', (word) => {
    expect(namesBranches(root, word)).toBe(true);
  });

  it.each([
    ...['other-token', '.env', 'add', 'fix-token..other', '', '..', 'fix-token:.env'],
    ...['../heads/fix-token', 'add/../fix-token', 'add//secret', 'x/.env', 'passwords.txt'],
  ])('threat: %j may be a file', (word) => {
    expect(namesBranches(root, word)).toBe(false);
  });

  it('threat: a file of that name lies in the folder that git starts in', () => {
    put('sub/fix-token');
    expect(namesBranches(root, 'fix-token', join(root, 'sub'))).toBe(false);
    expect(namesBranches(root, 'fix-token', root)).toBe(true);
  });

  it('a packed one is known too', () => {
    expect(namesBranches(root, 'v1-token')).toBe(false);
    put('.git/packed-refs', '# pack-refs\n1234 refs/tags/v1-token\n');
    expect(namesBranches(root, 'v1-token')).toBe(true);
    expect(namesBranches(root, 'v1')).toBe(false);
  });

  it('packed ones are read once for a word of several parts', () => {
    put('.git/packed-refs', '1 refs/tags/v1-token\n2 refs/remotes/origin/v2-token\n');
    const read = vi.spyOn(fs, 'readFileSync');
    syncBuiltinESMExports();
    try {
      expect(namesBranches(root, 'origin/v2-token...v1-token')).toBe(true);
      const isPacked = ([path]: readonly unknown[]) => String(path).endsWith('packed-refs');
      expect(read.mock.calls.filter(isPacked)).toHaveLength(1);
    } finally {
      read.mockRestore();
      syncBuiltinESMExports();
    }
  });

  it('a list that is too long is not read', () => {
    put('.git/packed-refs', `${' '.repeat(5_000_000)} refs/tags/v1-token\n`);
    expect(namesBranches(root, 'v1-token')).toBe(false);
  });

  it('without a repository there is none', () => {
    expect(namesBranches(join(root, '.git'), 'HEAD')).toBe(false);
  });
});
