/**
 * Runs one query on PostgreSQL: in a read-only transaction unless a change is declared, with a time limit
 * in the server, with a role that has no power outside the database, at an address that was checked.
 */
import type { Client, ClientConfig, Query } from 'pg';
import { ToolFailure } from '../../contract/errors.ts';
import { invalidParams, invalidQuery } from './one-statement.ts';
import { assertOnlyReads } from './only-reads.ts';
import { type QueryAnswer, type QueryRequest, takeRows } from './query-request.ts';

export interface PostgresAccess {
  readonly url: string;
  /**
   * Judges where the connection leads and returns the address to connect to. `host` is a name, an
   * address, or the folder of a socket. Throws a ToolFailure for what may not be reached.
   */
  resolveHost(host: string, port: number): Promise<string>;
  readonly signal: AbortSignal;
}

/** The default export, because not every loader sees the named ones. */
type Pg = typeof import('pg').default;

const CONNECT_MS = 10_000;

const loadPg = async (): Promise<Pg> => {
  try {
    return (await import('pg')).default;
  } catch {
    throw new ToolFailure('DEPENDENCY_MISSING', 'PostgreSQL needs the package pg.', {
      suggestions: ['Install it: npm install pg'],
    });
  }
};

const unusable = (): ToolFailure =>
  new ToolFailure('CONFIG_INVALID', 'DATABASE_URL is no PostgreSQL connection string.', {
    suggestions: [
      'Write it as a postgres:// address with user, password, host, port and database.',
    ],
  });

/** Reads host and port from the connection string with the parser of `pg` itself. */
const addressIn = (pg: Pg, url: string): { host: string; port: number } => {
  if (!/^postgres(?:ql)?:\/\//.test(url)) throw unusable();
  try {
    const { host, port } = new pg.Client({ connectionString: url });
    return { host, port };
  } catch {
    throw unusable();
  }
};

const configFor = async (
  pg: Pg,
  { url, resolveHost }: PostgresAccess,
  { timeout }: QueryRequest,
): Promise<ClientConfig> => {
  const { host, port } = addressIn(pg, url);
  const address = await resolveHost(host, port);
  return {
    connectionString: url,
    statement_timeout: timeout,
    lock_timeout: timeout,
    idle_in_transaction_session_timeout: timeout + CONNECT_MS,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'toolcrib',
    // Connects to the checked address, and still verifies the certificate for the name.
    stream: () => connectTo(address, port),
  };
};

/** Connects to the checked address: `pg` would resolve the name again, perhaps to another one. */
const connectTo = (address: string, port: number) => {
  const { Socket } = process.getBuiltinModule('node:net');
  const socket = new Socket();
  const connect = socket.connect.bind(socket);
  const connectToAddress = (): typeof socket =>
    address.startsWith('/') ? connect(`${address}/.s.PGSQL.${port}`) : connect(port, address);
  return Object.assign(socket, { connect: connectToAddress });
};

/** Maps the SQLSTATE of an error to a code of the table. */
const failureOf = (error: unknown): unknown => {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (error instanceof ToolFailure || typeof code !== 'string') return error;
  const words = String(message).slice(0, 300);
  if (code === '25006') {
    return new ToolFailure('PERMISSION_DENIED', `Reading is all that is allowed: ${words}.`, {
      suggestions: ['Use mode "write" for a statement that changes data; a person is asked.'],
    });
  }
  // This error has no SQLSTATE of its own.
  if (code === '08P01' && /^bind message supplies \d+ parameters/.test(words)) {
    return invalidParams('The query has more or fewer placeholders than params has values.');
  }
  if (code === '57014')
    return new ToolFailure('TIMEOUT', 'The query took too long and was stopped.');
  if (code === '55P03' || code === '40P01') return new ToolFailure('LOCK');
  if (code.startsWith('28')) {
    return new ToolFailure('AUTH_MISSING', 'PostgreSQL did not accept DATABASE_URL.', {
      suggestions: ['Keep a valid one with: toolcrib secrets set DATABASE_URL'],
    });
  }
  if (code === '42501') return new ToolFailure('PERMISSION_DENIED', `PostgreSQL: ${words}`);
  if (code.startsWith('23')) return new ToolFailure('CONFLICT', `PostgreSQL: ${words}`);
  if (/^(?:22|42|0A|25)/.test(code)) return invalidQuery(`PostgreSQL: ${words}`);
  if (/^(?:08|53|57)/.test(code)) return new ToolFailure('NETWORK', `PostgreSQL: ${words}`);
  return error;
};

/**
 * A read-only transaction protects the data, but not the server: these roles can run programs and write
 * files through `COPY` and functions, so no query runs as one of them.
 */
const POWERS = `SELECT bool_or(pg_has_role(current_user, oid, 'MEMBER')) AS powerful FROM pg_roles
  WHERE rolsuper OR rolname IN ('pg_execute_server_program', 'pg_write_server_files', 'pg_read_server_files')`;

const assertHarmless = async (client: Client): Promise<void> => {
  const { rows } = await client.query<{ powerful: boolean | null }>(POWERS);
  if (rows[0]?.powerful === false) return;
  throw new ToolFailure(
    'PERMISSION_DENIED',
    'The role of DATABASE_URL can run programs or reach files of the server.',
    { suggestions: ['Use a role without superuser and pg_*_server_* rights.'] },
  );
};

type Wire = { sync(): void };
type Fields = { readonly fields: { readonly name: string }[]; readonly rowCount: number | null };
type Answer = Fields & { readonly rows: unknown[][] };

/** Fetches one page of rows: the rest of a large result never leaves the server. */
const firstPage = (pg: Pg, client: Client, request: QueryRequest): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const config = {
      text: request.query,
      values: [...request.params],
      rowMode: 'array',
      rows: request.maxRows + 1,
      callback: (error: Error | null, result: unknown) =>
        error ? reject(error) : resolve(result as Answer),
    };
    const query = new pg.Query(config as never) as Query & object;
    Object.assign(query, { handlePortalSuspended: (connection: Wire) => connection.sync() });
    client.query(query);
  });

const plain = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') };
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  return value;
};

const ask = async (pg: Pg, client: Client, request: QueryRequest): Promise<QueryAnswer> => {
  await assertHarmless(client);
  const reads = request.mode === 'read';
  await client.query(`BEGIN TRANSACTION ${reads ? 'READ ONLY' : 'READ WRITE'}`);
  const { fields, rows, rowCount } = await firstPage(pg, client, request);
  await client.query(reads ? 'ROLLBACK' : 'COMMIT');
  const values = rows.map((row) => row.map(plain));
  const page = takeRows(
    fields.map(({ name }) => name),
    values,
    request,
  );
  const count = fields.length === 0 ? (rowCount ?? 0) : page.rows.length;
  return { ...page, rowCount: count };
};

/** Runs a query. Fails with a code of the table, and closes the connection in any case. */
export const runPostgres = async (
  access: PostgresAccess,
  request: QueryRequest,
): Promise<QueryAnswer> => {
  if (request.mode === 'read') assertOnlyReads(request.query);
  const pg = await loadPg();
  const client = new pg.Client(await configFor(pg, access, request));
  client.on('error', () => undefined);
  const stop = (): void => void client.end().catch(() => undefined);
  access.signal.addEventListener('abort', stop, { once: true });
  try {
    await client.connect();
    return await ask(pg, client, request);
  } catch (error) {
    throw failureOf(error);
  } finally {
    access.signal.removeEventListener('abort', stop);
    await client.end().catch(() => undefined);
  }
};
