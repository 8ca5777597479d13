/** Undo by snapshot: exact restoration, refusal after a later change, and the look after a crash. */
import {
  chmodSync,
  existsSync,
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
import type { Snapshot } from '../../contract/store.ts';
import { createFileAccess } from './file-access.ts';
import { createPathGuard, type PathGuard } from './path-guard.ts';
import { inspectSnapshot, restoreSnapshot } from './restore-snapshot.ts';

let root: string;
let guard: PathGuard;
let snapshots: Snapshot[];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'undo-')));
  writeFileSync(join(root, 'a.txt'), 'alpha');
  guard = createPathGuard({ root });
  snapshots = [];
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const access = () =>
  createFileAccess({
    guard,
    needs: { paths: [{ path: '.', access: 'write' }] },
    hooks: {
      beforeChange: async (snapshot) => {
        snapshots.push({ ...snapshot, executionId: 'e1', order: snapshots.length, keptAt: 0 });
      },
      changed: () => undefined,
      used: () => undefined,
    },
  });

const undoAll = async () => {
  for (const snapshot of [...snapshots].reverse()) await restoreSnapshot(guard, snapshot);
};

const only = (): Snapshot => {
  expect(snapshots).toHaveLength(1);
  return snapshots[0] as Snapshot;
};

const onDisk = (path: string) => readFileSync(join(root, path), 'utf8');

describe('restoreSnapshot', () => {
  it('leaves a folder alone that was created again', async () => {
    mkdirSync(join(root, 'empty'));
    await access().remove('empty');
    expect(await inspectSnapshot(guard, only())).toBe('done');
    mkdirSync(join(root, 'empty'));
    expect(await inspectSnapshot(guard, only())).toBe('not_done');
    await undoAll();
    expect(existsSync(join(root, 'empty'))).toBe(true);
  });

  it('takes back a write, with the mode', async () => {
    chmodSync(join(root, 'a.txt'), 0o600);
    await access().write('a.txt', 'beta');
    chmodSync(join(root, 'a.txt'), 0o644);
    await undoAll();
    expect(onDisk('a.txt')).toBe('alpha');
    expect(statSync(join(root, 'a.txt')).mode & 0o777).toBe(0o600);
    expect(readdirSync(root)).toEqual(['a.txt']);
  });

  it('takes back a creation, an emptying and a removal', async () => {
    const fs = access();
    await fs.write('new.txt', 'new');
    await fs.write('a.txt', '');
    await fs.remove('a.txt');
    await undoAll();
    expect(existsSync(join(root, 'new.txt'))).toBe(false);
    expect(onDisk('a.txt')).toBe('alpha');
  });

  it('takes back the removal of a file together with its folder', async () => {
    mkdirSync(join(root, 'dir'), { mode: 0o750 });
    writeFileSync(join(root, 'dir', 'x'), 'x');
    const fs = access();
    await fs.remove('dir/x');
    await fs.remove('dir');
    expect(existsSync(join(root, 'dir'))).toBe(false);
    await undoAll();
    expect(onDisk('dir/x')).toBe('x');
    expect(statSync(join(root, 'dir')).mode & 0o777).toBe(0o750);
  });

  it('takes back a folder that was made', async () => {
    await access().makeDirectory('made');
    expect(await inspectSnapshot(guard, only())).toBe('done');
    await undoAll();
    expect(readdirSync(root)).toEqual(['a.txt']);
    expect(await inspectSnapshot(guard, only())).toBe('not_done');
  });

  it('leaves a created folder alone that has a new file in it', async () => {
    await access().makeDirectory('made');
    writeFileSync(join(root, 'made', 'x'), 'x');
    await expect(restoreSnapshot(guard, only())).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(onDisk('made/x')).toBe('x');
  });

  it('takes several writes of one file back to the first state', async () => {
    const fs = access();
    for (const text of ['one', 'two', 'two', 'three']) await fs.write('a.txt', text);
    await undoAll();
    expect(onDisk('a.txt')).toBe('alpha');
  });

  it('refuses when the file was changed, made or removed since', async () => {
    const fs = access();
    await fs.write('a.txt', 'beta');
    writeFileSync(join(root, 'a.txt'), 'a later thought');
    await expect(restoreSnapshot(guard, only())).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(onDisk('a.txt')).toBe('a later thought');
    rmSync(join(root, 'a.txt'));
    await expect(restoreSnapshot(guard, only())).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(existsSync(join(root, 'a.txt'))).toBe(false);
  });

  it('refuses to bring a removed file back over a new one', async () => {
    await access().remove('a.txt');
    writeFileSync(join(root, 'a.txt'), 'new owner');
    await expect(restoreSnapshot(guard, only())).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(onDisk('a.txt')).toBe('new owner');
  });

  it('does nothing where the state before is there already', async () => {
    await access().write('a.txt', 'beta');
    writeFileSync(join(root, 'a.txt'), 'alpha');
    await restoreSnapshot(guard, only());
    await restoreSnapshot(guard, only());
    expect(onDisk('a.txt')).toBe('alpha');
  });

  it('gives a file back the usual mode when none was kept', async () => {
    const path = join(root, 'b.txt');
    const snapshot = { executionId: 'e', order: 0, path, afterHash: undefined, keptAt: 0 };
    await restoreSnapshot(guard, { ...snapshot, before: Buffer.from('b'), beforeMode: undefined });
    expect(onDisk('b.txt')).toBe('b');
  });

  it('goes through the guard like any write', async () => {
    const kept = { executionId: 'e', order: 0, keptAt: 0 };
    const snapshot = { ...kept, before: Buffer.from('x'), beforeMode: 0o644 };
    const path = join(root, '..', 'elsewhere.txt');
    await expect(
      restoreSnapshot(guard, { ...snapshot, path, afterHash: undefined }),
    ).rejects.toMatchObject({ code: 'SECURITY_VIOLATION' });
  });
});

describe('inspectSnapshot', () => {
  it('reports done, not done and unknown for a write', async () => {
    await access().write('a.txt', 'beta');
    expect(await inspectSnapshot(guard, only())).toBe('done');
    writeFileSync(join(root, 'a.txt'), 'alpha');
    expect(await inspectSnapshot(guard, only())).toBe('not_done');
    writeFileSync(join(root, 'a.txt'), 'gamma');
    expect(await inspectSnapshot(guard, only())).toBe('unknown');
    rmSync(join(root, 'a.txt'));
    expect(await inspectSnapshot(guard, only())).toBe('unknown');
  });

  it('reports done, not done and unknown for a creation and for a removal', async () => {
    const fs = access();
    await fs.write('deep/new.txt', 'new', { createDirs: true });
    await fs.remove('a.txt');
    const [creation, removal] = snapshots as [Snapshot, Snapshot];
    expect(await inspectSnapshot(guard, creation)).toBe('done');
    rmSync(join(root, 'deep'), { recursive: true });
    expect(await inspectSnapshot(guard, creation)).toBe('not_done');
    expect(await inspectSnapshot(guard, removal)).toBe('done');
    writeFileSync(join(root, 'a.txt'), 'alpha');
    expect(await inspectSnapshot(guard, removal)).toBe('not_done');
    mkdirSync(join(root, 'deep', 'new.txt'), { recursive: true });
    expect(await inspectSnapshot(guard, creation)).toBe('unknown');
  });

  it('passes on an error that is no ToolFailure', async () => {
    const broken = { path: undefined as unknown as string, executionId: 'e', order: 0 };
    const rest = { before: undefined, beforeMode: 0, afterHash: '', keptAt: 0 };
    await expect(inspectSnapshot(guard, { ...broken, ...rest })).rejects.toThrow(TypeError);
  });

  it('gives unknown for a file that may not be read', async () => {
    await access().write('a.txt', 'beta');
    rmSync(join(root, 'a.txt'));
    symlinkSync('/etc/passwd', join(root, 'a.txt'));
    expect(await inspectSnapshot(guard, only())).toBe('unknown');
  });
});
