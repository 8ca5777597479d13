/** Opens the database file of a store that no process uses, for copies and moves. */
import { existsSync } from 'node:fs';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { type Database, openDatabase } from '../../kit/sqlite/open-database.ts';
import { isOwnerAlive, type OwnerRow } from '../../kit/sqlite/owner.ts';
import { identifyProcess } from '../../kit/sqlite/process-identity.ts';
import { storeFailure } from '../../kit/sqlite/store-failure.ts';
import { migrate } from './database/migrate.ts';
import { assertIdentity, type StoreIdentity } from './database/store-identity.ts';

export interface UnusedFile {
  /** The database file, absolute. */
  readonly path: string;
  /** The id that the database has to have; any when absent. */
  readonly identity?: StoreIdentity;
  /** Is called each time the file was opened, before anything is done with its rows. */
  onOpen?(): Promise<void>;
}

const assertUnused = (database: Database, runtime: Runtime): void => {
  const { place } = identifyProcess();
  const owners = database.prepare('SELECT * FROM owners').all() as OwnerRow[];
  const alive = owners.find((owner) => isOwnerAlive(owner, place, runtime.now()));
  if (!alive) return;
  throw new ToolFailure('CONFLICT', `The process ${alive.pid} uses the store.`, {
    suggestions: ['End the processes that use it, then copy it again.'],
  });
};

const rollBack = (database: Database): void => {
  try {
    database.exec('ROLLBACK');
  } catch {
    // No transaction is open.
  }
};

/** Runs the work while nobody else can write to the file, and commits what it has changed. */
export const inTransaction = async <T>(
  database: Database,
  runtime: Runtime,
  work: () => Promise<T>,
): Promise<T> => {
  database.exec('BEGIN IMMEDIATE');
  try {
    assertUnused(database, runtime);
    const result = await work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
};

/** Brings the database to this version, unless it has another id: that one is left as it is. */
const prepare = async (database: Database, { identity, onOpen }: UnusedFile): Promise<void> => {
  database.exec('PRAGMA trusted_schema = OFF');
  if (identity && !identity.adopt) assertIdentity(database, identity);
  migrate(database, identity);
  await onOpen?.();
};

/**
 * Opens the file for the work and closes it. Fails with NOT_FOUND, CONFLICT or STORE_UNAVAILABLE. A
 * transaction that is left open is rolled back.
 */
export const withUnusedDatabase = async <T>(
  file: UnusedFile,
  runtime: Runtime,
  work: (database: Database) => Promise<T>,
): Promise<T> => {
  if (!existsSync(file.path)) {
    throw new ToolFailure('NOT_FOUND', 'There is no store in this file.', {
      suggestions: ['Name the database file, e.g. .toolcrib/state.db.'],
    });
  }
  const database = await openDatabase(file.path);
  try {
    await prepare(database, file);
    assertUnused(database, runtime);
    return await work(database);
  } catch (error) {
    throw storeFailure(error);
  } finally {
    // First: the engine may keep a closed file open for a while.
    rollBack(database);
    database.close();
  }
};
