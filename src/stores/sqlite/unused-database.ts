/** Opens the database file of a store that no process uses, for copies and moves. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { type Database, openDatabase } from '../../kit/sqlite/open-database.ts';
import { isOwnerAlive, type OwnerRow } from '../../kit/sqlite/owner.ts';
import { identifyProcess } from '../../kit/sqlite/process-identity.ts';
import { storeFailure } from '../../kit/sqlite/store-failure.ts';
import { migrate } from './database/migrate.ts';

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

/** Fails with NOT_FOUND, CONFLICT or STORE_UNAVAILABLE. A transaction that is left open is rolled back. */
export const withUnusedDatabase = async <T>(
  path: string,
  runtime: Runtime,
  work: (database: Database) => Promise<T>,
): Promise<T> => {
  const file = resolve(path);
  if (!existsSync(file)) {
    throw new ToolFailure('NOT_FOUND', 'There is no store in this file.', {
      suggestions: ['Name the database file, e.g. .toolcrib/state.db.'],
    });
  }
  const database = await openDatabase(file);
  try {
    migrate(database);
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
