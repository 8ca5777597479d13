/** Two stores on one file in one process: what closes one descriptor must not drop the locks of the other. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { auditEntry } from '../../../test/conformance/store-samples.ts';
import type { Store } from '../../contract/store.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { createSqliteStore } from './create-sqlite-store.ts';

/**
 * Opens and closes a database as other programs do. Node's own engine deletes the log where nobody else
 * has a lock on the file; the package leaves it.
 */
const VISIT = `
const [path] = process.argv.slice(1);
const engine = process.getBuiltinModule('node:sqlite') ?? require('@photostructure/sqlite');
const database = new engine.DatabaseSync(path);
database.exec('SELECT count(*) FROM audit');
database.close();`;

const inFolder = async (test: (open: () => Promise<Store>, path: string) => Promise<void>) => {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-second-'));
  const path = join(folder, 's.db');
  await test(() => createSqliteStore({ path, runtime: createRuntime() }), path);
  rmSync(folder, { recursive: true });
};

it.skipIf(process.platform !== 'linux')(
  'the first store of a process keeps its lock on the file when a second one is opened',
  () =>
    inFolder(async (open, path) => {
      const stores = [await open()];
      const { ino } = statSync(path);
      const locks = () =>
        readFileSync('/proc/locks', 'utf8')
          .split('\n')
          .filter((line) => line.includes(`:${ino} `));
      expect(locks()).toHaveLength(1);
      stores.push(await open());
      expect(locks()).toHaveLength(1);
      await Promise.all(stores.map((store) => store.close()));
    }),
);

it('two stores of one process both write on after another process opened and closed the file', () =>
  inFolder(async (open, path) => {
    const stores = [await open(), await open()];
    expect(statSync(path).mode & 0o777).toBe(0o600);
    for (const { audit } of stores) await audit.append(auditEntry());
    execFileSync(process.execPath, ['-e', VISIT, path]);
    for (const { audit } of stores) await audit.append(auditEntry());
    expect(await stores[0]?.audit.head()).toMatchObject({ seq: 4 });
    await Promise.all(stores.map((store) => store.close()));
  }));
