/**
 * Opens a pool of connections to PostgreSQL. Every statement is prepared under a name, is a transaction
 * of its own, and has its values as parameters: a process that freezes or dies holds no lock.
 */
import type { Pool, PoolConfig } from 'pg';
import { ToolFailure } from '../../../contract/errors.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import { invalidSetting } from '../../../kit/data/coded-failures.ts';
import { closedFailure } from '../../../kit/data/store-refusals.ts';
import { checkServer, prepareConnection } from './server-settings.ts';
import { openFailure, storeFailure } from './store-failure.ts';

export type SqlValue = string | number | boolean | null | Uint8Array | readonly string[];

export interface Statement {
  all<Row>(...values: SqlValue[]): Promise<Row[]>;
  get<Row>(...values: SqlValue[]): Promise<Row | undefined>;
  /** Resolves to the number of rows that it changed. */
  run(...values: SqlValue[]): Promise<number>;
}

export interface DatabaseOptions {
  /** `postgres://user:<password>@host:port/database`. */
  readonly url: string;
  /** The schema that holds the tables. */
  readonly schema: string;
  readonly runtime: Runtime;
  /** The most connections at a time. */
  readonly connections: number;
  /** How long a write waits for another process before it fails. */
  readonly lockTimeoutMs: number;
}

export interface Database {
  readonly schema: string;
  /** Names host, port and database, without user or password. */
  readonly address: string;
  /** Prepares a statement, the same one for the same text. `@` before a name stands for the schema. */
  prepare(sql: string): Statement;
  /** Runs work on one connection inside a transaction, for migrations and copies. */
  transaction<T>(work: (run: Run) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Runs one statement inside a transaction. */
export type Run = (sql: string, values?: readonly SqlValue[]) => Promise<readonly unknown[]>;

type Pg = typeof import('pg').default;

const CONNECT_MS = 10_000;
const STATEMENT_MS = 20_000;
/** Longer than the server's own limit, for a server that does not answer at all. */
const ANSWER_MS = 25_000;
const INT8 = 20;
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;

const loadPg = async (): Promise<Pg> => {
  try {
    return (await import('pg')).default;
  } catch {
    throw new ToolFailure('DEPENDENCY_MISSING', 'The PostgreSQL store needs the package pg.', {
      suggestions: ['Install it: npm install pg'],
    });
  }
};

/** Makes the failure for a bad address, without repeating it: it may hold a password. */
const badUrl = (): ToolFailure =>
  invalidSetting(
    'The address of the store is no PostgreSQL address.',
    'Write it as postgres://user@host:5432/database, with special characters of the password percent-encoded.',
  );

/** The authority, then path and parameters: a password with an unescaped `#`, `?` or `/` ends up there. */
const ADDRESS = /^postgres(?:ql)?:\/\/[^/?#]*(?:[/?][^@#]*)?$/;

const assertUrl = (url: string): void => {
  if (!ADDRESS.test(url)) throw badUrl();
};

const assertSchema = (schema: string): void => {
  if (SCHEMA.test(schema) && !schema.startsWith('pg_')) return;
  throw invalidSetting(
    'The name of the schema is not allowed.',
    'Use lower-case letters, digits and underscores, e.g. toolcrib.',
  );
};

const addressOf = (pg: Pg, url: string): string => {
  try {
    const { host, port, database } = new pg.Client({ connectionString: url });
    return `${host}:${port}/${database}`;
  } catch {
    throw badUrl();
  }
};

/** Numbers of eight bytes are numbers here: none exceeds what is exact. */
const typesFor = (pg: Pg): NonNullable<PoolConfig['types']> => ({
  getTypeParser: ((type: number, format: 'text') =>
    type === INT8 ? Number : pg.types.getTypeParser(type, format)) as never,
});

const poolFor = (pg: Pg, { url, connections, lockTimeoutMs }: DatabaseOptions): Pool =>
  new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: ANSWER_MS,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    application_name: 'toolcrib',
    keepAlive: true,
    allowExitOnIdle: true,
    types: typesFor(pg),
    verify: prepareConnection,
  });

const bind = (values: readonly SqlValue[]): unknown[] =>
  values.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value));

class PooledDatabase implements Database {
  readonly schema: string;
  readonly address: string;
  readonly #pool: Pool;
  readonly #runtime: Runtime;
  readonly #statements = new Map<string, Statement>();
  #isClosed = false;

  constructor(pool: Pool, address: string, { schema, runtime }: DatabaseOptions) {
    this.schema = schema;
    this.address = address;
    this.#pool = pool;
    this.#runtime = runtime;
    // A connection that breaks while nobody uses it: the pool has dropped it already.
    pool.on('error', (error) => {
      runtime.log.debug('A connection to PostgreSQL broke.', { error: String(error) });
    });
  }

  prepare(sql: string): Statement {
    const prepared = this.#statements.get(sql);
    if (prepared) return prepared;
    const statement = this.#compile(sql, `toolcrib_${this.#statements.size}`);
    this.#statements.set(sql, statement);
    return statement;
  }

  #compile(sql: string, name: string): Statement {
    const text = sql.replaceAll('@', `"${this.schema}".`);
    const query = async (values: SqlValue[]) => {
      if (this.#isClosed) throw closedFailure();
      try {
        return await this.#pool.query({ name, text, values: bind(values) });
      } catch (error) {
        throw this.#explain(error);
      }
    };
    return {
      all: async <Row>(...values: SqlValue[]) => (await query(values)).rows as Row[],
      get: async <Row>(...values: SqlValue[]) => (await query(values)).rows[0] as Row | undefined,
      run: async (...values) => (await query(values)).rowCount ?? 0,
    };
  }

  async transaction<T>(work: (run: Run) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    const run: Run = async (sql, values = []) =>
      (await client.query(sql.replaceAll('@', `"${this.schema}".`), bind(values))).rows;
    let failure: Error | undefined;
    try {
      await client.query('BEGIN');
      const result = await work(run);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      // A connection that failed is closed, which rolls back.
      client.release(failure);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool.end();
  }

  #explain(error: unknown): unknown {
    const failure = storeFailure(error);
    if (failure !== error) {
      this.#runtime.log.error('The store failed.', { error: String(error) });
    }
    return failure;
  }
}

/** Opens the pool and checks the server. Rejects with what to do about it. */
export const openDatabase = async (options: DatabaseOptions): Promise<Database> => {
  assertSchema(options.schema);
  assertUrl(options.url);
  const pg = await loadPg();
  const address = addressOf(pg, options.url);
  const pool = poolFor(pg, options);
  const database = new PooledDatabase(pool, address, options);
  try {
    await checkServer(pool, options.runtime);
    return database;
  } catch (error) {
    await database.close();
    throw openFailure(error);
  }
};
