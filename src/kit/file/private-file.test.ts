import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { othersReach, readCheckedFile } from './private-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'private-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('othersReach', () => {
  it('names another owner before a mode that is open to others', () => {
    const rules = { forbidden: 0o077 };
    expect(othersReach({ uid: 7, mode: 0o644 }, rules, 5)).toBe('owner');
    expect(othersReach({ uid: 5, mode: 0o640 }, rules, 5)).toBe('mode');
    expect(othersReach({ uid: 5, mode: 0o600 }, rules, 5)).toBeUndefined();
  });

  it('takes a file of root for its own only where that is allowed', () => {
    expect(othersReach({ uid: 0, mode: 0o600 }, { forbidden: 0o022 }, 5)).toBe('owner');
    const orRoot = { forbidden: 0o022, orRoot: true };
    expect(othersReach({ uid: 0, mode: 0o644 }, orRoot, 5)).toBeUndefined();
  });
});

describe('readCheckedFile', () => {
  it('reads a regular file up to the limit', async () => {
    const file = join(folder, 'file');
    await writeFile(file, 'text');
    expect(await readCheckedFile(file, { maxBytes: 4 })).toEqual(
      new Uint8Array(Buffer.from('text')),
    );
    expect(await readCheckedFile(file, { maxBytes: 3 })).toBe('too-large');
  });

  it('does not wait for a named pipe, nor read a folder', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(await readCheckedFile(join(folder, 'pipe'), { maxBytes: 4 })).toBe('not-regular');
    expect(await readCheckedFile(folder, { maxBytes: 4 })).toBe('not-regular');
  });

  it('refuses a link where none may be followed, and passes on what the check throws', async () => {
    const [file, link] = [join(folder, 'file'), join(folder, 'link')];
    await writeFile(file, 'text');
    await symlink(file, link);
    await expect(readCheckedFile(link, { maxBytes: 9, noLink: true })).rejects.toThrow('ELOOP');
    const check = (): never => {
      throw new Error('no');
    };
    await expect(readCheckedFile(file, { maxBytes: 9, check })).rejects.toThrow('no');
  });
});
