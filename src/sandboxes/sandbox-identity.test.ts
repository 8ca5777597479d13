import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sandboxIdentity } from './sandbox-identity.ts';

const ROOT = { uid: 0, gid: 0 };
const NOBODY = { uid: 65_534, gid: 65_534 };

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-identity-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('a sandbox of an ordinary user runs as that user', () => {
  const user = { uid: 1000, gid: 1000 };
  expect(sandboxIdentity(user, [{ path: folder, writable: true }])).toEqual(user);
});

describe.skipIf(process.getuid?.() !== 0)('threat: the rights of root in a sandbox', () => {
  it('are given up when nothing is granted', () => {
    expect(sandboxIdentity(ROOT, [])).toEqual(NOBODY);
  });

  it('are given up when everybody may read what is granted', () => {
    expect(sandboxIdentity(ROOT, [{ path: '/etc', writable: false }])).toEqual(NOBODY);
  });

  it('are given up for the owner of a folder to write', () => {
    chmodSync(folder, 0o755);
    const work = join(folder, 'work');
    mkdirSync(work, { mode: 0o700 });
    chownSync(work, 1234, 1235);
    expect(sandboxIdentity(ROOT, [{ path: work, writable: true }])).toEqual({
      uid: 1234,
      gid: 1235,
    });
  });

  it('stay where a folder on the way is closed to its owner', () => {
    const work = join(folder, 'work');
    mkdirSync(work, { mode: 0o700 });
    chownSync(work, 1234, 1235);
    expect(sandboxIdentity(ROOT, [{ path: work, writable: true }])).toEqual(ROOT);
  });

  it('stay where only root may write', () => {
    chmodSync(folder, 0o755);
    expect(sandboxIdentity(ROOT, [{ path: folder, writable: true }])).toEqual(ROOT);
    expect(sandboxIdentity(ROOT, [{ path: folder, writable: false }])).toEqual(NOBODY);
  });
});
