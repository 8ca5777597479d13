/**
 * Brings a database to the schema this version knows, in one transaction under the write lock, so
 * that two processes that open it at once take turns. Refuses files it must not touch.
 */
import { refuseDatabase } from '../../../kit/data/store-refusals.ts';
import type { Database } from '../../../kit/sqlite/open-database.ts';
import { MIGRATIONS } from './migrations.ts';
import { type StoreIdentity, writeIdentity } from './store-identity.ts';

/** `Tcrb` in ASCII: says in the file's header whose it is. */
const APPLICATION_ID = 0x54637262;

const pragma = (database: Database, name: string): unknown =>
  Object.values(database.prepare(`PRAGMA ${name}`).get() as Record<string, unknown>)[0];

/**
 * Refuses the database of another program. Reads the tables before the id: a process that creates the
 * database writes both in one transaction, so tables that were seen have their id.
 */
const assertOurs = (database: Database): void => {
  if (database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined) return;
  if (pragma(database, 'application_id') === APPLICATION_ID) return;
  refuseDatabase(
    'The file is a database of another program.',
    'Choose another path for the store.',
  );
};

const assertKnown = (version: number): void => {
  if (version <= MIGRATIONS.length) return;
  refuseDatabase(
    `The database has schema version ${version}; this Toolcrib knows versions up to ${MIGRATIONS.length}.`,
    'Use the newer Toolcrib that wrote it, or choose another path for the store.',
  );
};

/** Reads the schema version of a file that is Toolcrib's or empty. Throws for any other. */
export const schemaVersion = (database: Database): number => {
  assertOurs(database);
  const version = Number(pragma(database, 'user_version'));
  assertKnown(version);
  return version;
};

const step = (database: Database, identity: StoreIdentity | undefined): void => {
  const version = schemaVersion(database);
  if (identity && (version === 0 || identity.adopt)) writeIdentity(database, identity);
  if (version === MIGRATIONS.length) return;
  for (const sql of MIGRATIONS.slice(version)) database.exec(sql);
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
};

/** Migrates a database. One that is new or adopted gets the identity in the same transaction. */
export const migrate = (database: Database, identity?: StoreIdentity): void => {
  if (schemaVersion(database) === MIGRATIONS.length && !identity?.adopt) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    // The version is read again under the lock: another process may have been first.
    step(database, identity);
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
};
