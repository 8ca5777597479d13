/** A second store for checkpoints, given as `sqlite:` and the absolute path of its database. */
import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AuditCheckpoint } from '../../contract/audit.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Store } from '../../contract/store.ts';
import {
  appendCheckpoint,
  readCheckpointRows,
  type StoredCheckpoints,
} from '../../governance/audit/checkpoint-rows.ts';

const SCHEME = 'sqlite:';

/** Returns the path of the database that a destination names; `undefined` for any other destination. */
export const storePathOf = (destination: string): string | undefined =>
  destination.startsWith(SCHEME) ? destination.slice(SCHEME.length) : undefined;

const withStore = async <T>(
  path: string,
  runtime: Runtime,
  work: (store: Store) => Promise<T>,
): Promise<T> => {
  const { createSqliteStore } = await import('../../stores/sqlite/create-sqlite-store.ts');
  const store = await createSqliteStore({ path, runtime });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
};

/**
 * Throws when the folder is missing. The driver would create it, and when a disk is not mounted, that
 * would be on the disk of this store.
 */
const assertFolder = async (folder: string): Promise<void> => {
  const stats = await stat(folder).catch(() => undefined);
  if (stats?.isDirectory()) return;
  throw new ToolFailure('STORE_UNAVAILABLE', `The folder ${folder} does not exist.`, {
    suggestions: ['Mount the disk of audit.checkpoints.to, or create the folder on it.'],
  });
};

const assertOther = async (path: string, label: string): Promise<void> => {
  const target = await realpath(path).catch(() => path);
  if (![path, target].some((location) => label === `sqlite at ${location}`)) return;
  throw new ToolFailure(
    'CONFIG_INVALID',
    'audit.checkpoints.to names the store that the checkpoints are of.',
    { suggestions: ['Name a database on another disk.'] },
  );
};

/**
 * Makes the delivery to a second store. Opens it for each checkpoint, so that its disk can be unmounted
 * and mounted again.
 */
export const deliverToStore =
  (path: string, { label }: Pick<Store, 'label'>, runtime: Runtime) =>
  async (checkpoint: AuditCheckpoint): Promise<void> => {
    await assertFolder(dirname(path));
    await assertOther(path, label);
    await withStore(path, runtime, ({ audit }) => appendCheckpoint(audit, checkpoint));
  };

/** Reads the checkpoints of a second store; `undefined` when there is no such file. */
export const readCheckpointStore = async (
  path: string,
  runtime: Runtime,
  trustedKeys: readonly string[],
): Promise<StoredCheckpoints | undefined> => {
  // Checked before, because opening a missing store creates it.
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isFile()) return undefined;
  return withStore(path, runtime, ({ audit }) => readCheckpointRows(audit, { trustedKeys }));
};
