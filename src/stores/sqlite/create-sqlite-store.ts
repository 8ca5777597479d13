/**
 * Opens a store in one SQLite file, shared by any number of processes on one machine. It has a
 * write-ahead log with full sync: what a promise has confirmed survives a power cut, but for records of
 * calls that changed nothing, which may be 20 ms behind.
 */
import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Store } from '../../contract/store.ts';
import {
  type ArgumentCheck,
  amount,
  assertArguments,
  fields,
  flag,
  optional,
  runtime,
  someFields,
  text,
} from '../../kit/data/check-arguments.ts';
import { errorCodeOf } from '../../kit/data/reason-of.ts';
import { type Database, openDatabase } from '../../kit/sqlite/open-database.ts';
import { isLocked, storeFailure } from '../../kit/sqlite/store-failure.ts';
import { inPlaceGuard, statOf } from './database/in-place-guard.ts';
import { migrate, schemaVersion } from './database/migrate.ts';
import { assertIdentity, ForeignStore, type StoreIdentity } from './database/store-identity.ts';
import { sqliteStore } from './sqlite-store.ts';

export type { StoreIdentity } from './database/store-identity.ts';

export interface SqliteStoreOptions {
  /** The file, made with its folder when it is not there; `:memory:` for none. */
  readonly path: string;
  readonly runtime: Runtime;
  /** Every record is synced before its call is answered, also of calls that changed nothing. */
  readonly syncEveryRecord?: boolean;
  /** How long a write waits for another process before it fails. 5 seconds when absent. */
  readonly lockTimeoutMs?: number;
  /** Rejects with `ForeignStore` when the database is another one; a new one is given it. */
  readonly identity?: StoreIdentity | undefined;
}

const sqliteOptions = fields({
  path: text,
  runtime,
  syncEveryRecord: optional(flag),
  lockTimeoutMs: optional(amount),
  identity: optional(someFields({ id: text })),
} satisfies Record<keyof SqliteStoreOptions, ArgumentCheck>);

const IN_MEMORY = ':memory:';
const LOCK_TIMEOUT_MS = 5_000;
/** How long SQLite may block the process; the writer waits for locks without blocking. */
const BUSY_TIMEOUT_MS = 20;

const SETTINGS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA fullfsync = ON;
  PRAGMA foreign_keys = ON;
  PRAGMA trusted_schema = OFF;
  PRAGMA temp_store = MEMORY;
  PRAGMA cache_size = -16000;
  PRAGMA wal_autocheckpoint = 1000;
  PRAGMA journal_size_limit = 67108864;
`;

/**
 * Creates the file before SQLite does, unreadable for other users: the rows are private. A file that is
 * there is not opened: closing it drops the locks that other stores of this process have on it.
 */
const createFile = (path: string): void => {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (statOf(path)?.isFile()) return;
    const message = `The database file ${path} cannot be created (${errorCodeOf(error)}).`;
    const failure = new ToolFailure('STORE_UNAVAILABLE', message, {
      suggestions: [
        `Make the folder ${dirname(path)} writable for this user, or name another file in store.path.`,
      ],
    });
    failure.cause = error;
    throw failure;
  }
};

const isWritable = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

const prepareDatabase = (database: Database, identity: StoreIdentity | undefined): void => {
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA trusted_schema = OFF`);
  // First, because the settings below would change a file of another program or user.
  const isNew = schemaVersion(database) === 0;
  if (identity && !isNew && !identity.adopt) assertIdentity(database, identity);
  database.exec(SETTINGS);
  migrate(database, identity);
  // Another process may have made it meanwhile.
  if (identity) assertIdentity(database, identity);
};

/** Opens and prepares the file; waits while another process prepares it. */
const openPrepared = async (
  path: string,
  { runtime, identity }: Pick<SqliteStoreOptions, 'runtime' | 'identity'>,
  deadline: number,
): Promise<Database> => {
  for (;;) {
    const database = await openDatabase(path);
    try {
      prepareDatabase(database, identity);
      return database;
    } catch (error) {
      database.close();
      if (!isLocked(error) || runtime.elapsed() >= deadline) throw error;
    }
    await new Promise<void>((done) => runtime.after(5 + runtime.random() * 20, done));
  }
};

/** Tells whether SQLite can make neither its log nor its index beside the file. */
const isFrozen = (path: string): boolean => !isWritable(path) || !isWritable(dirname(path));

/**
 * Opens a file on a medium that cannot be written, for reading alone. A log beside it holds rows that
 * are not in the file yet: then both are copied, and the copy is opened.
 */
const openForReading = async (path: string): Promise<Database> => {
  if ((statOf(`${path}-wal`)?.size ?? 0) === 0) {
    const database = await openDatabase(`${pathToFileURL(path).href}?immutable=1`);
    schemaVersion(database);
    return database;
  }
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-read-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const copy = join(folder, basename(path));
  try {
    for (const ending of ['', '-wal']) copyFileSync(`${path}${ending}`, `${copy}${ending}`);
    const database = await openDatabase(copy);
    database.exec('PRAGMA query_only = ON; PRAGMA trusted_schema = OFF');
    return {
      prepare: (sql) => database.prepare(sql),
      exec: (sql) => database.exec(sql),
      close: () => {
        database.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
};

/** Opens a file for reading, if it is the database that the caller has a record of. */
const openFrozen = async (path: string, identity: StoreIdentity | undefined): Promise<Database> => {
  const database = await openForReading(path);
  try {
    if (identity && !identity.adopt) assertIdentity(database, identity);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/**
 * Opens the file. Rejects with VALIDATION_ERROR for options that are not known or of the wrong kind, and
 * with STORE_UNAVAILABLE when the file cannot be used, and says what to do about it.
 *
 * @example
 * import { createSqliteStore } from 'toolcrib/stores/sqlite';
 *
 * const store = await createSqliteStore({ path: 'toolcrib.db', runtime: createRuntime() });
 * const durable = await createCrib({ store });
 */
export const createSqliteStore = async (options: SqliteStoreOptions): Promise<Store> => {
  assertArguments({ options: sqliteOptions }, [options]);
  const { lockTimeoutMs = LOCK_TIMEOUT_MS } = options;
  const inMemory = options.path === IN_MEMORY;
  const path = inMemory ? IN_MEMORY : resolve(options.path);
  try {
    if (!inMemory) createFile(path);
    let isWritableMedium = true;
    const database = await openPrepared(
      path,
      options,
      options.runtime.elapsed() + lockTimeoutMs,
    ).catch((error: unknown) => {
      if (inMemory || error instanceof ForeignStore || !isFrozen(path)) throw error;
      isWritableMedium = false;
      return openFrozen(path, options.identity);
    });
    return sqliteStore({
      database,
      runtime: options.runtime,
      lockTimeoutMs,
      label: inMemory ? 'sqlite in memory' : `sqlite at ${path}`,
      isReadOnly: !isWritableMedium || (!inMemory && !isWritable(path)),
      ...(!inMemory && { assertUsable: inPlaceGuard(path, database, options.runtime) }),
      ...(!inMemory && isWritableMedium && !options.syncEveryRecord && { log: `${path}-wal` }),
    });
  } catch (error) {
    throw storeFailure(error);
  }
};
