/** The SQLite store passes the suite of all stores; opening, closing and migrating are its own. */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeStore } from '../../../test/conformance/store.ts';
import { describePersistence } from '../../../test/conformance/store-persistence.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { createSqliteStore } from './create-sqlite-store.ts';

const openOnDisk = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-store-'));
  const open = () => createSqliteStore({ path: join(folder, 'crib.db'), runtime: createRuntime() });
  const store = await open();
  return {
    store,
    reopen: open,
    cleanup: async () => {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
};

describeStore('sqlite on disk', openOnDisk);
describePersistence('sqlite on disk', openOnDisk);
describeStore('sqlite in memory', async () => ({
  store: await createSqliteStore({ path: ':memory:', runtime: createRuntime() }),
  cleanup: async () => undefined,
}));
