/** File patterns: what each form fits, what is refused, and no pattern that is slow. */
import { describe, expect, it } from 'vitest';
import { canonicalGlob, compileGlob } from './file-filter.ts';

const fits = async (pattern: string, path: string) =>
  (await compileGlob(canonicalGlob(pattern)))(path);

describe('compileGlob', () => {
  it.each([
    ['*.ts', 'a.ts'],
    ['*.ts', 'x/y/a.ts'],
    ['a', 'x/a'],
    ['src/*.ts', 'src/a.ts'],
    ['./src/*.ts', 'src/a.ts'],
    ['/a.ts', 'a.ts'],
    ['**/a.ts', 'a.ts'],
    ['**/a.ts', 'x/y/a.ts'],
    ['src/**', 'src/x/y.ts'],
    ['src/**/z.ts', 'src/z.ts'],
    ['src/**/z.ts', 'src/x/y/z.ts'],
    ['dist/', 'x/dist/a.js'],
    ['**', 'x/y'],
    ['a?c', 'abc'],
    ['[ab].ts', 'a.ts'],
    ['[!ab].ts', 'c.ts'],
    ['[^ab].ts', 'c.ts'],
    ['[a-c]x', 'bx'],
    ['[]]x', ']x'],
    ['*.{ts,js}', 'a.js'],
    ['{src,lib}/*.ts', 'lib/a.ts'],
    ['a{b,c{d,e}}', 'ace'],
    ['a.b+(c)', 'a.b+(c)'],
    ['\\*.ts', '*.ts'],
    ['.*', '.env'],
    ['*', '.hidden'],
    ['ü*', 'über.txt'],
    ['a**b', 'aXb'],
  ])('%s fits %s', async (pattern, path) => {
    expect(await fits(pattern, path)).toBe(true);
  });

  it.each([
    ['*.ts', 'a.tsx'],
    ['*.ts', 'ts'],
    ['src/*.ts', 'src/x/a.ts'],
    ['src/*.ts', 'x/src/a.ts'],
    ['/a.ts', 'x/a.ts'],
    ['a?c', 'a/c'],
    ['[!a]b', '/b'],
    ['a[!x]b', 'a/b'],
    ['src/**', 'src'],
    ['dist/', 'dist'],
    ['a.ts', 'axts'],
    ['*.{ts,js}', 'a.css'],
    ['A.ts', 'a.ts'],
    ['a**b', 'a/b'],
  ])('%s does not fit %s', async (pattern, path) => {
    expect(await fits(pattern, path)).toBe(false);
  });

  it('ignores case with the option for it', async () => {
    expect((await compileGlob(canonicalGlob('*.TS'), true))('a.ts')).toBe(true);
  });

  it.each(['', ' ', '/', '!a', '[a', '{a,b', 'a}', '{a}}'])('refuses %j', async (pattern) => {
    await expect(fits(pattern, 'a')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('stays quick on a hostile pattern', { timeout: 5000 }, async () => {
    expect(await fits(`${'*a'.repeat(50)}b`, 'a'.repeat(5000))).toBe(false);
  });
});
