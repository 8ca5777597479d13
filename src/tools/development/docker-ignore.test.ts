import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeTar } from '../../kit/archive/write-tar.ts';
import { dockerIgnore } from './docker-ignore.ts';

describe('.dockerignore', () => {
  it.each([
    ['', 'a', false],
    ['# a', 'a', false],
    ['a', 'a', true],
    ['a', 'a/b/c', true],
    ['a', 'b/a', false],
    ['/a', 'a', true],
    ['./a/', 'a/b', true],
    ['a/../b', 'b', true],
    ['*.md', 'README.md', true],
    ['*.md', 'docs/README.md', false],
    ['**/*.md', 'docs/deep/README.md', true],
    ['**/*.md', 'README.md', true],
    ['docs/**', 'docs/a/b', true],
    ['*/temp*', 'x/temporary', true],
    ['*/temp*', 'x/y/temp', false],
    ['temp?', 'tempa', true],
    ['temp?', 'temp/', false],
    ['[ab]c', 'bc', true],
    ['[^ab]c', 'bc', false],
    ['a.b', 'axb', false],
    ['*\n!keep', 'keep', false],
    ['*\n!keep', 'other', true],
    ['!keep\n*', 'keep', true],
    ['dir\n!dir/keep', 'dir/keep', false],
    ['\\#a', '#a', true],
    ['.', 'a', false],
    ['(a|b)+', 'a', false],
  ])('%j and %s: %s', async (text, path, isOut) => {
    expect((await dockerIgnore(text)).leavesOut(path)).toBe(isOut);
  });

  it.each(['[a', 'a\\', 'x\n'.repeat(1_001)])('refuses what has no meaning: %j', async (text) => {
    await expect(dockerIgnore(text)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('threat: a pattern that would backtrack for ever is answered', async () => {
    const { leavesOut } = await dockerIgnore(`${'**a'.repeat(30)}b`);
    expect(leavesOut('a'.repeat(4_000))).toBe(false);
  }, 30_000);
});

it('the archive is one that tar reads: names short and long, empty, folders', async () => {
  const long = `${'folder-with-a-long-name/'.repeat(6)}ü.txt`;
  const files = { 'a.txt': 'A', empty: '', block: 'x'.repeat(512), [long]: 'long' };
  const entries = [
    { path: 'dir/', read: async () => new Uint8Array() },
    ...Object.entries(files).map(([path, text]) => ({ path, read: async () => Buffer.from(text) })),
  ];
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-tar-'));
  const parts: Uint8Array[] = [];
  for await (const part of writeTar(entries)) parts.push(part);
  writeFileSync(join(folder, 'a.tar'), Buffer.concat(parts));
  execFileSync('tar', ['-xf', 'a.tar'], { cwd: folder });
  for (const [path, text] of Object.entries(files)) {
    expect(readFileSync(join(folder, path), 'utf8')).toBe(text);
  }
  rmSync(folder, { recursive: true });
});
