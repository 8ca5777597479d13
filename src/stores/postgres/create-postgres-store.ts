/**
 * Opens a store in PostgreSQL, shared by any number of processes on any number of machines. What a
 * promise has confirmed survives a crash of the server, but for records of calls that changed nothing,
 * which may be a few tenths of a second behind (`synchronous_commit = off`).
 */
import { hostname } from 'node:os';
import type { Runtime } from '../../contract/runtime.ts';
import type { Store } from '../../contract/store.ts';
import {
  type ArgumentCheck,
  amount,
  runtime as aRuntime,
  assertArguments,
  atLeastOne,
  fields,
  flag,
  name,
  optional,
} from '../../kit/data/check-arguments.ts';
import { placeText } from '../../kit/data/place.ts';
import { isExposed } from './database/is-exposed.ts';
import { migrate } from './database/migrate.ts';
import { openDatabase } from './database/open-database.ts';
import { openFailure } from './database/store-failure.ts';
import { postgresStore } from './postgres-store.ts';

export interface PostgresStoreOptions {
  /** `postgres://user:<password>@host:port/database`; settings of TLS as `pg` reads them. */
  readonly url: string;
  readonly runtime: Runtime;
  /** The schema that holds the tables, made when it is not there. `toolcrib` when absent. */
  readonly schema?: string;
  /** The most connections of this process at a time. 6 when absent. */
  readonly connections?: number;
  /** Every record is synced before its call is answered, also of calls that changed nothing. */
  readonly syncEveryRecord?: boolean;
  /** How long a write waits for another process before it fails. 5 seconds when absent. */
  readonly lockTimeoutMs?: number;
  /** A process that was not heard of for this long is gone. 30 seconds when absent. */
  readonly leaseMs?: number;
  /**
   * Where the files of this process are: `<id> <host>`. What a call did to files can be undone where the
   * id is the same. The name of the machine when absent.
   */
  readonly place?: string;
}

const postgresOptions = fields({
  url: name,
  runtime: aRuntime,
  schema: optional(name),
  connections: optional(atLeastOne),
  syncEveryRecord: optional(flag),
  lockTimeoutMs: optional(amount),
  leaseMs: optional(atLeastOne),
  place: optional(name),
} satisfies Record<keyof PostgresStoreOptions, ArgumentCheck>);

/**
 * Connects to the server and prepares the tables. Rejects with VALIDATION_ERROR for options that are not
 * known or of the wrong kind, with CONFIG_INVALID when the settings are wrong, with STORE_UNAVAILABLE
 * when the server cannot be used, and with DEPENDENCY_MISSING without the package `pg`. No error holds a
 * password.
 *
 * @example
 * import { createPostgresStore } from 'toolcrib/stores/postgres';
 *
 * const store = await createPostgresStore({
 *   url: 'postgres://toolcrib@db.example.com/toolcrib?sslmode=verify-full',
 *   runtime: createRuntime(),
 * });
 * const shared = await createCrib({ store });
 */
export const createPostgresStore = async (options: PostgresStoreOptions): Promise<Store> => {
  assertArguments({ options: postgresOptions }, [options]);
  const { url, schema = 'toolcrib', connections = 6, syncEveryRecord = false } = options;
  const { runtime, lockTimeoutMs = 5_000, leaseMs = 30_000 } = options;
  const { place = placeText(hostname(), hostname()) } = options;
  const database = await openDatabase({ url, schema, runtime, connections, lockTimeoutMs });
  if (isExposed(database.address, url)) {
    runtime.log.warn('The connection to the store is not encrypted.', {
      next: 'add ?sslmode=verify-full to store.url',
    });
  }
  try {
    await migrate(database);
  } catch (error) {
    await database.close();
    throw openFailure(error);
  }
  return postgresStore({ database, runtime, leaseMs, place, syncEveryRecord });
};
