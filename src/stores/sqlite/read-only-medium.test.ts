/** A store on a medium that cannot be written: it can be read and verified. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { auditEntry } from '../../../test/conformance/store-samples.ts';
import { watchTemporaryFolders } from '../../../test/fixtures/temporary-folders.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import { createCribHost } from '../../crib/create-crib.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { verifyAudit } from '../../governance/audit/verify-audit.ts';
import { createSqliteStore } from './create-sqlite-store.ts';

let folder: string;
let isMounted = false;
const medium = () => join(folder, 'medium');
const file = () => join(medium(), 'state.db');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-medium-'));
  mkdirSync(medium());
});
afterEach(() => {
  // Lazily: SQLite lets go of a file with the next garbage collection only.
  if (isMounted) execFileSync('umount', ['-l', medium()]);
  isMounted = false;
  rmSync(folder, { recursive: true, force: true });
});

/** Skips, and says so, where this user may not mount. */
const freeze = (skip: TestContext['skip']): void => {
  try {
    execFileSync('mount', ['--bind', medium(), medium()], { stdio: 'ignore' });
    isMounted = true;
    execFileSync('mount', ['-o', 'remount,ro,bind', medium()], { stdio: 'ignore' });
  } catch {
    console.log('Skipped: only root can mount a folder read-only.');
    skip('only root can mount a folder read-only');
  }
};

const open = () => createSqliteStore({ path: file(), runtime: createRuntime() });

const fill = async (): Promise<Awaited<ReturnType<typeof open>>> => {
  const store = await open();
  for (let n = 0; n < 5; n++) await store.audit.append(auditEntry());
  return store;
};

describe('a store on a read-only medium', () => {
  it('can be read and verified, and refuses writes', async ({ skip }) => {
    await (await fill()).close();
    for (const name of readdirSync(medium())) if (name !== 'state.db') rmSync(join(medium(), name));
    freeze(skip);
    expect(() => writeFileSync(join(medium(), 'x'), '')).toThrow('EROFS');
    const store = await open();
    expect(store.isReadOnly).toBe(true);
    expect(await verifyAudit(store.audit.scan())).toMatchObject({ ok: true, rows: 5 });
    await expect(store.audit.append(auditEntry())).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    await store.close();
  });

  it('includes the rows of a write-ahead log that was not merged', async ({ skip }) => {
    const living = await fill();
    const noneIsLeft = watchTemporaryFolders('toolcrib-read-');
    // As a process that was killed leaves it: the file, its log, and no index.
    execFileSync('cp', [file(), `${file()}-wal`, folder]);
    await living.close();
    rmSync(medium(), { recursive: true });
    mkdirSync(medium());
    execFileSync('cp', [join(folder, 'state.db'), join(folder, 'state.db-wal'), medium()]);
    freeze(skip);
    const store = await open();
    expect(await verifyAudit(store.audit.scan())).toMatchObject({ ok: true, rows: 5 });
    await store.close();
    await noneIsLeft();
  });

  it('a crib on it verifies the trail and runs nothing', async ({ skip }) => {
    const options = {
      builtins: false,
      tools: [aTool({ tier: 'write' })],
      store: { sqlite: file() },
    };
    const first = await createCribHost({ ...options, home: join(folder, 'home') } as never);
    await first.execute('echo', {});
    await first.close();
    freeze(skip);
    const crib = await createCribHost({ ...options, home: join(folder, 'home') } as never);
    expect(await crib.audit.verify()).toMatchObject({ ok: true });
    expect((await crib.execute('echo', {})).error?.code).toBe('STORE_UNAVAILABLE');
    await crib.close();
  });
});
