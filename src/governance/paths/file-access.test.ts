/** Brokered files: needs, snapshots before changes, atomic writes, limits and listings. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Needs } from '../../contract/needs.ts';
import { sha256Hex } from '../../kit/data/canonical-json.ts';
import type { FileHooks, NewSnapshot } from './change-files.ts';
import { createFileAccess } from './file-access.ts';
import type { FileLimits } from './file-slot.ts';
import { bestVerification, type Verification } from './open-verified.ts';
import { createPathGuard } from './path-guard.ts';

let root: string;
let snapshots: NewSnapshot[];
let changed: string[];
let used: string[];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'files-')));
  mkdirSync(join(root, 'data'));
  writeFileSync(join(root, 'a.txt'), 'alpha');
  snapshots = [];
  changed = [];
  used = [];
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const ALL: Needs = { paths: [{ path: '.', access: 'write' }] };

interface Setup {
  readonly needs?: Needs | undefined;
  readonly hooks?: Partial<FileHooks>;
  readonly limits?: Partial<FileLimits>;
  readonly verification?: Verification;
}

const access = (setup: Setup = {}) =>
  createFileAccess({
    guard: createPathGuard({ root, verification: setup.verification ?? bestVerification() }),
    needs: 'needs' in setup ? setup.needs : ALL,
    hooks: {
      beforeChange: async (snapshot) => void snapshots.push(snapshot),
      changed: (path) => void changed.push(path),
      used: (path) => void used.push(path),
      ...setup.hooks,
    },
    limits: setup.limits ?? {},
  });

const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString();
const onDisk = (path: string) => readFileSync(join(root, path), 'utf8');
const withCode = (code: string) => expect.objectContaining({ code });

describe('needs', () => {
  it('gives a tool without path needs no file', async () => {
    for (const needs of [undefined, {}, { paths: [] }]) {
      const fs = access({ needs });
      await expect(fs.read('a.txt')).rejects.toEqual(withCode('PERMISSION_DENIED'));
      await expect(fs.list('.')).rejects.toEqual(withCode('PERMISSION_DENIED'));
      await expect(fs.stat('a.txt')).rejects.toEqual(withCode('PERMISSION_DENIED'));
      await expect(fs.resolve('a.txt', 'read')).rejects.toEqual(withCode('PERMISSION_DENIED'));
      await expect(fs.write('a.txt', 'x')).rejects.toEqual(withCode('PERMISSION_DENIED'));
      await expect(fs.remove('a.txt')).rejects.toEqual(withCode('PERMISSION_DENIED'));
    }
    expect(onDisk('a.txt')).toBe('alpha');
  });

  it('keeps a reader from writing, and lets a writer read', async () => {
    const reader = access({ needs: { paths: [{ path: '.', access: 'read' }] } });
    expect(text(await reader.read('a.txt'))).toBe('alpha');
    await expect(reader.write('a.txt', 'x')).rejects.toEqual(withCode('PERMISSION_DENIED'));
    expect(text(await access().read('a.txt'))).toBe('alpha');
  });

  it('narrows to the folder asked for, without prefix collisions', async () => {
    mkdirSync(join(root, 'database'));
    const fs = access({
      needs: {
        paths: [
          { path: 'data', access: 'write' },
          { path: 'a.txt', access: 'read' },
          { path: '.ssh', access: 'read' },
        ],
      },
    });
    await fs.write('data/x.txt', 'x');
    expect(text(await fs.read('a.txt'))).toBe('alpha');
    await expect(fs.write('a.txt', 'x')).rejects.toEqual(withCode('PERMISSION_DENIED'));
    await expect(fs.write('database/x', 'x')).rejects.toEqual(withCode('PERMISSION_DENIED'));
    await expect(fs.read('data/../b.txt')).rejects.toEqual(withCode('PERMISSION_DENIED'));
    symlinkSync('../a.txt', join(root, 'data', 'link'));
    await expect(fs.write('data/link', 'x')).rejects.toEqual(withCode('PERMISSION_DENIED'));
  });
});

describe('read', () => {
  it('gives the bytes and notes the use', async () => {
    writeFileSync(join(root, 'data', 'b.bin'), Buffer.from([0, 255, 10]));
    expect(await access().read('data/b.bin')).toEqual(Buffer.from([0, 255, 10]));
    writeFileSync(join(root, 'empty'), '');
    expect((await access().read('empty')).length).toBe(0);
    expect(used).toEqual(['data/b.bin', 'empty']);
  });

  it('fails for a missing file, a folder and a path below a file', async () => {
    const fs = access();
    await expect(fs.read('missing')).rejects.toEqual(withCode('NOT_FOUND'));
    await expect(fs.read('data')).rejects.toEqual(withCode('CONFLICT'));
    await expect(fs.read('a.txt/b')).rejects.toEqual(withCode('NOT_FOUND'));
  });

  it('stops at the limit, which a tool can only lower', async () => {
    const fs = access({ limits: { readBytes: 4 } });
    await expect(fs.read('a.txt')).rejects.toEqual(withCode('OUTPUT_TOO_LARGE'));
    await expect(fs.read('a.txt', { maxBytes: 100 })).rejects.toEqual(withCode('OUTPUT_TOO_LARGE'));
    await expect(access().read('a.txt', { maxBytes: 4 })).rejects.toEqual(
      withCode('OUTPUT_TOO_LARGE'),
    );
    expect(text(await access().read('a.txt', { maxBytes: 5 }))).toBe('alpha');
  });

  it('does not hang on a FIFO', { timeout: 5000 }, async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    await expect(access().read('pipe')).rejects.toEqual(withCode('SECURITY_VIOLATION'));
    await expect(access().write('pipe', 'x')).rejects.toEqual(withCode('SECURITY_VIOLATION'));
    await expect(access().remove('pipe')).rejects.toEqual(withCode('SECURITY_VIOLATION'));
    expect(await access().stat('pipe')).toMatchObject({ kind: 'other' });
  });
});

describe('write', () => {
  it('keeps what was there before the first byte changes', async () => {
    chmodSync(join(root, 'a.txt'), 0o640);
    const seen: string[] = [];
    const fs = access({
      hooks: {
        beforeChange: async (snapshot) => {
          snapshots.push(snapshot);
          seen.push(onDisk('a.txt'));
        },
      },
    });
    expect(await fs.write('a.txt', 'beta')).toEqual({ bytesWritten: 4, created: false });
    expect(seen).toEqual(['alpha']);
    expect(onDisk('a.txt')).toBe('beta');
    expect(statSync(join(root, 'a.txt')).mode & 0o777).toBe(0o640);
    expect(text(snapshots[0]?.before)).toBe('alpha');
    expect(snapshots[0]).toMatchObject({
      path: join(root, 'a.txt'),
      beforeMode: 0o640,
      afterHash: sha256Hex(Buffer.from('beta')),
    });
    expect(changed).toEqual(['a.txt']);
  });

  it('changes nothing when the snapshot cannot be kept', async () => {
    const fs = access({ hooks: { beforeChange: () => Promise.reject(new Error('disk full')) } });
    await expect(fs.write('a.txt', 'beta')).rejects.toThrow('disk full');
    await expect(fs.write('n/e/w.txt', 'x', { createDirs: true })).rejects.toThrow('disk full');
    await expect(fs.remove('a.txt')).rejects.toThrow('disk full');
    expect(onDisk('a.txt')).toBe('alpha');
    expect(readdirSync(root)).toEqual(['a.txt', 'data']);
    expect(changed).toEqual([]);
  });

  it('creates files, and folders only when asked', async () => {
    const fs = access();
    expect(await fs.write('new.txt', 'ü')).toEqual({ bytesWritten: 2, created: true });
    expect(snapshots[0]).toMatchObject({ before: undefined, beforeMode: undefined });
    await expect(fs.write('x/y/z.txt', 'z')).rejects.toEqual(withCode('NOT_FOUND'));
    expect(existsSync(join(root, 'x'))).toBe(false);
    await fs.write('x/y/z.txt', Buffer.from([1, 2]), { createDirs: true });
    expect(readFileSync(join(root, 'x/y/z.txt'))).toEqual(Buffer.from([1, 2]));
    await expect(fs.write('a.txt/b', 'z', { createDirs: true })).rejects.toEqual(
      withCode('NOT_FOUND'),
    );
  });

  it('refuses to overwrite with overwrite: false, and never overwrites a folder', async () => {
    const fs = access();
    await expect(fs.write('a.txt', 'x', { overwrite: false })).rejects.toEqual(
      withCode('CONFLICT'),
    );
    await expect(fs.write('data', 'x')).rejects.toEqual(withCode('CONFLICT'));
    await expect(fs.write('.', 'x')).rejects.toEqual(withCode('CONFLICT'));
    expect(snapshots).toEqual([]);
    await fs.write('b.txt', 'x', { overwrite: false });
  });

  it('writes through a link that stays inside, and keeps the link', async () => {
    symlinkSync('a.txt', join(root, 'link'));
    await access().write('link', 'beta');
    expect(onDisk('a.txt')).toBe('beta');
    expect(changed).toEqual(['a.txt']);
  });

  it('does not change a file with a second name', async () => {
    const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'elsewhere-')));
    writeFileSync(join(elsewhere, 'canary'), 'OUTSIDE');
    linkSync(join(elsewhere, 'canary'), join(root, 'twin'));
    await expect(access().write('twin', 'x')).rejects.toEqual(withCode('SECURITY_VIOLATION'));
    await expect(access().remove('twin')).rejects.toEqual(withCode('SECURITY_VIOLATION'));
    expect(readFileSync(join(elsewhere, 'canary'), 'utf8')).toBe('OUTSIDE');
    rmSync(elsewhere, { recursive: true });
  });

  it('fails without a trace after a change by another program', async () => {
    const fs = access({
      hooks: { beforeChange: async () => writeFileSync(join(root, 'a.txt'), 'from elsewhere') },
    });
    await expect(fs.write('a.txt', 'mine')).rejects.toEqual(withCode('CONFLICT'));
    await expect(fs.remove('a.txt')).rejects.toEqual(withCode('CONFLICT'));
    expect(onDisk('a.txt')).toBe('from elsewhere');
    const maker = access({
      hooks: { beforeChange: async () => writeFileSync(join(root, 'made.txt'), 'theirs') },
    });
    await expect(maker.write('made.txt', 'mine')).rejects.toEqual(withCode('CONFLICT'));
    expect(onDisk('made.txt')).toBe('theirs');
    expect(readdirSync(root)).toEqual(['a.txt', 'data', 'made.txt']);
  });

  it('lets many writers of one file go one after the other', async () => {
    const fs = access();
    await Promise.all(Array.from({ length: 20 }, (_, n) => fs.write('a.txt', `${n}`)));
    // Each write saw what another had left: together with the last content, none is missing.
    const seen = [...snapshots.map(({ before }) => text(before)), onDisk('a.txt')];
    const expected = ['alpha', ...Array.from({ length: 20 }, (_, n) => `${n}`)];
    expect(seen.sort()).toEqual(expected.sort());
    expect(readdirSync(root)).toEqual(['a.txt', 'data']);
  });

  it('refuses what cannot be kept', async () => {
    const fs = access({ limits: { snapshotBytes: 4 } });
    await expect(fs.write('a.txt', 'x')).rejects.toEqual(withCode('OUTPUT_TOO_LARGE'));
    await expect(fs.remove('a.txt')).rejects.toEqual(withCode('OUTPUT_TOO_LARGE'));
    await expect(fs.write('b.txt', 'xxxxx')).rejects.toEqual(withCode('OUTPUT_TOO_LARGE'));
    await fs.write('b.txt', 'xxxx');
    expect(onDisk('a.txt')).toBe('alpha');
  });

  it('drops set-id bits of the mode', async () => {
    chmodSync(join(root, 'a.txt'), 0o4755);
    await access().write('a.txt', 'x');
    expect(statSync(join(root, 'a.txt')).mode & 0o7777).toBe(0o755);
  });
});

describe('file access verified by inode', () => {
  it('reads, writes, lists and removes alike', async () => {
    const fs = access({ verification: 'inode' });
    await fs.write('x/y.txt', 'one', { createDirs: true });
    await fs.write('x/y.txt', 'two');
    expect(text(await fs.read('x/y.txt'))).toBe('two');
    expect((await fs.list('x')).map(({ path }) => path)).toEqual(['x/y.txt']);
    await fs.remove('x/y.txt');
    await fs.remove('x');
    expect(readdirSync(root)).toEqual(['a.txt', 'data']);
    expect(snapshots).toHaveLength(4);
  });
});

describe('remove', () => {
  it('removes a file after keeping it', async () => {
    await access().remove('a.txt');
    expect(existsSync(join(root, 'a.txt'))).toBe(false);
    expect(text(snapshots[0]?.before)).toBe('alpha');
    expect(snapshots[0]?.afterHash).toBeUndefined();
    expect(changed).toEqual(['a.txt']);
  });

  it('removes an empty folder only', async () => {
    writeFileSync(join(root, 'data', 'x'), '');
    await expect(access().remove('data')).rejects.toEqual(withCode('CONFLICT'));
    rmSync(join(root, 'data', 'x'));
    await access().remove('data');
    expect(readdirSync(root)).toEqual(['a.txt']);
  });

  it('refuses links, the root and nothing', async () => {
    symlinkSync('a.txt', join(root, 'link'));
    await expect(access().remove('link')).rejects.toEqual(withCode('CONFLICT'));
    await expect(access().remove('.')).rejects.toEqual(withCode('CONFLICT'));
    await expect(access().remove('missing')).rejects.toEqual(withCode('NOT_FOUND'));
    expect(snapshots).toEqual([]);
    expect(onDisk('a.txt')).toBe('alpha');
  });
});

describe('makeDirectory', () => {
  it('makes one folder after the snapshot was handed over', async () => {
    const beforeChange = async (snapshot: NewSnapshot) => {
      expect(existsSync(join(root, 'data', 'new'))).toBe(false);
      snapshots.push(snapshot);
    };
    await access({ hooks: { beforeChange } }).makeDirectory('data/new');
    expect(statSync(join(root, 'data', 'new')).isDirectory()).toBe(true);
    const path = join(root, 'data', 'new');
    const nothing = { before: undefined, beforeMode: undefined };
    expect(snapshots).toEqual([{ path, ...nothing, afterHash: 'folder' }]);
    expect(changed).toEqual(['data/new']);
    expect(used).toEqual(['data/new']);
  });

  it('refuses a name that a file or a folder has already', async () => {
    await expect(access().makeDirectory('a.txt')).rejects.toEqual(withCode('CONFLICT'));
    await expect(access().makeDirectory('data')).rejects.toEqual(withCode('CONFLICT'));
    expect(snapshots).toEqual([]);
    expect(changed).toEqual([]);
    expect(onDisk('a.txt')).toBe('alpha');
  });

  it('makes nothing when the snapshot cannot be kept', async () => {
    const beforeChange = () => Promise.reject(new Error('full'));
    await expect(access({ hooks: { beforeChange } }).makeDirectory('new')).rejects.toThrow('full');
    expect(readdirSync(root)).toEqual(['a.txt', 'data']);
  });

  it('refuses a path that the tool may only read', async () => {
    const fs = access({ needs: { paths: [{ path: '.', access: 'read' }] } });
    await expect(fs.makeDirectory('new')).rejects.toEqual(withCode('PERMISSION_DENIED'));
    expect(readdirSync(root)).toEqual(['a.txt', 'data']);
  });
});

describe('the parts of a repository', () => {
  it('are not completed by a tool that writes all of them at once', async () => {
    const fs = access();
    const results = await Promise.allSettled([
      fs.write('HEAD', 'ref: x'),
      fs.makeDirectory('objects'),
      fs.makeDirectory('refs'),
    ]);
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).toEqual([{ status: 'rejected', reason: withCode('SECURITY_VIOLATION') }]);
    expect(readdirSync(root)).toHaveLength(4);
  });
});

describe('list and stat', () => {
  it('lists one folder, sorted, without secrets and leftovers', async () => {
    for (const name of ['.env', '.env.example', 'id_rsa', 'B.txt', '.toolcrib-tmp-1']) {
      writeFileSync(join(root, name), 'x');
    }
    mkdirSync(join(root, '.ssh'));
    symlinkSync('/etc/passwd', join(root, 'link'));
    const infos = await access().list('.');
    expect(infos.map(({ path, kind }) => [path, kind])).toEqual([
      ['.env.example', 'file'],
      ['B.txt', 'file'],
      ['a.txt', 'file'],
      ['data', 'directory'],
      ['link', 'other'],
    ]);
    writeFileSync(join(root, 'data', 'x'), 'four');
    expect(await access().list('data')).toMatchObject([{ path: 'data/x', size: 4 }]);
    await expect(access().list('a.txt')).rejects.toEqual(withCode('CONFLICT'));
    await expect(access().list('missing')).rejects.toEqual(withCode('NOT_FOUND'));
  });

  it('leaves out names that no call can use', async () => {
    writeFileSync(Buffer.concat([Buffer.from(`${root}/data/`), Buffer.from([0xff, 0xfe])]), 'x');
    writeFileSync(join(root, 'data', 'a\u001b[2J'), 'x');
    expect(await access().list('data')).toEqual([]);
  });

  it('reports which files are executable, and makes new ones executable on request', async () => {
    const fs = access();
    await fs.write('run.sh', new TextEncoder().encode('#!/bin/sh\n'), { executable: true });
    expect(await fs.stat('run.sh')).toMatchObject({ executable: true });
    expect(await fs.stat('a.txt')).not.toHaveProperty('executable');
    // A file that is there keeps its mode.
    await fs.write('a.txt', new TextEncoder().encode('more'), { executable: true });
    expect(await fs.stat('a.txt')).not.toHaveProperty('executable');
    expect(await fs.stat('data')).not.toHaveProperty('executable');
  });

  it('stat describes what is there, or returns nothing', async () => {
    const info = await access().stat('./data/../a.txt');
    expect(info).toMatchObject({ path: 'a.txt', kind: 'file', size: 5 });
    expect(info?.modifiedMs).toBeGreaterThan(0);
    expect(await access().stat('.')).toMatchObject({ path: '.', kind: 'directory' });
    expect(await access().stat('no/such')).toBeUndefined();
  });

  it('resolve gives absolute paths for other programs', async () => {
    expect(await access().resolve('a.txt', 'write')).toBe(join(root, 'a.txt'));
    expect(await access().resolve('no/such', 'write')).toBe(join(root, 'no/such'));
    expect(used).toEqual([]);
  });
});
