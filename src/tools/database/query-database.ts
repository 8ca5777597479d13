/**
 * `query_database`: one SQL statement on a SQLite file or on PostgreSQL; read-only unless the input
 * declares a change.
 */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Capability, Tool, ToolExample } from '../../contract/tool.ts';
import type { ProcessPool } from '../../kit/work/process-pool.ts';
import { assertOneStatement } from './one-statement.ts';
import type { QueryAnswer } from './query-request.ts';

const input = () =>
  z.strictObject({
    query: z.string().min(1).max(100_000).describe('One SQL statement.'),
    params: z
      .array(z.union([z.string().max(1_000_000), z.number(), z.boolean(), z.null()]))
      .max(1000)
      .default([])
      .describe('Values for ? (SQLite) or $1, $2 … (PostgreSQL). Never write values into the SQL.'),
    path: z
      .string()
      .min(1)
      .optional()
      .describe('The SQLite file in the workspace. Without it: PostgreSQL at DATABASE_URL.'),
    mode: z
      .enum(['read', 'write'])
      .default('read')
      .describe('write: the statement may change data. The database itself enforces read.'),
    maxRows: z.int().min(1).max(10_000).default(1000).describe('How many rows at most.'),
    maxBytes: z.int().min(1000).max(10_000_000).default(1_000_000).describe('Of all rows as JSON.'),
    timeout: z.int().min(10).max(120_000).default(30_000).describe('Milliseconds it may take.'),
  });

const output = () =>
  z.strictObject({
    columns: z.array(z.string()).describe('The names of the columns.'),
    rows: z
      .array(z.record(z.string(), z.unknown()))
      .describe('The rows. Bytes are { base64 }, integers beyond 2^53 are strings.'),
    rowCount: z.int().describe('How many rows were given, or changed.'),
    truncated: z.boolean().describe('True when there is more than maxRows or maxBytes.'),
  });

type Input = z.infer<ReturnType<typeof input>>;

export interface QueryDatabaseOptions {
  /** The PostgreSQL servers that may be reached; when absent, only SQLite files can be queried. */
  readonly hosts?: readonly string[];
}

/** Prepares the processes; loads and starts nothing before the first call. */
const openProcesses = () => {
  let opened: ProcessPool | undefined;
  return {
    get: async (): Promise<ProcessPool> => {
      const { openSqliteProcesses } = await import('./sqlite-processes.ts');
      opened ??= openSqliteProcesses();
      return opened;
    },
    close: async () => opened?.close(),
  };
};

type GetProcesses = () => Promise<ProcessPool>;

const onSqlite = async (
  request: Input & { readonly path: string },
  context: ToolContext,
  processes: GetProcesses,
): Promise<QueryAnswer> => {
  const { fs, signal } = context;
  const { path } = request;
  const absolute = await fs.resolve(path, request.mode);
  const info = await fs.stat(path);
  if (info?.kind !== 'file') {
    throw new ToolFailure('NOT_FOUND', 'There is no such database file.', {
      suggestions: ['List the directory first.'],
    });
  }
  const { runSqlite } = await import('./run-sqlite.ts');
  const database = { path: absolute, context, signal, processes: await processes() };
  return runSqlite(database, request);
};

/** Restores a SQLite file. Changes in PostgreSQL cannot be undone; it has its own backups. */
const restore = async (
  { path }: Input,
  copy: unknown,
  { context, processes }: { readonly context: ToolContext; readonly processes: GetProcesses },
): Promise<void> => {
  const { restoreCopy } = await import('./sqlite-undo.ts');
  if (path === undefined) throw new ToolFailure('CONFLICT', 'The call left nothing to undo.');
  const absolute = await context.fs.resolve(path, 'write');
  const { logger, signal } = context;
  await restoreCopy(copy, { path: absolute, processes: await processes(), signal, logger });
};

const NAME_IT =
  'Name its host under services.postgres.hosts in your own configuration; a private one under egress.allowPrivate, too.';

/** Resolves a host. A socket's folder is judged as localhost. */
const resolveHost = async (context: ToolContext, host: string, port: number): Promise<string> => {
  const isSocket = host.startsWith('/');
  try {
    const address = await context.resolveHost(isSocket ? 'localhost' : host, port);
    return isSocket ? host : address;
  } catch (error) {
    if (!(error instanceof ToolFailure) || error.code !== 'PERMISSION_DENIED') throw error;
    throw new ToolFailure(error.code, 'The server of DATABASE_URL may not be reached.', {
      suggestions: [NAME_IT],
    });
  }
};

const onPostgres = async (
  request: Input,
  context: ToolContext,
  { hosts = [] }: QueryDatabaseOptions,
): Promise<QueryAnswer> => {
  if (hosts.length === 0) {
    throw new ToolFailure('PERMISSION_DENIED', 'This crib reaches no PostgreSQL server.', {
      suggestions: ['Name a SQLite file with path, or let a person set up PostgreSQL.', NAME_IT],
    });
  }
  context.keepForUndo(null);
  const url = await context.secret('DATABASE_URL');
  const { runPostgres } = await import('./run-postgres.ts');
  const access = {
    url,
    resolveHost: (host: string, port: number) => resolveHost(context, host, port),
    signal: context.signal,
  };
  return runPostgres(access, request);
};

const examples: readonly ToolExample[] = [
  {
    title: 'Read from a SQLite file',
    input: {
      path: 'shop.db',
      query: 'SELECT name, price FROM items WHERE price > ? ORDER BY name',
      params: [5],
    },
    output: { columns: ['name', 'price'], rows: [{ name: 'lamp', price: 9.5 }], rowCount: 1 },
  },
  {
    title: 'List the tables',
    input: { path: 'shop.db', query: "SELECT name FROM sqlite_schema WHERE type = 'table'" },
    output: { rows: [{ name: 'items' }] },
  },
];

const capabilitiesOf = ({ hosts = [] }: QueryDatabaseOptions): readonly Capability[] => [
  { action: 'read', description: 'Read from a database.', tier: 'read_only' },
  {
    action: 'write',
    description: 'Change a database.',
    tier: hosts.length > 0 ? 'external_api' : 'write',
    requiresConfirmation: true,
    destructive: true,
  },
];

/** Defines the tool. It keeps processes between calls, so each crib needs its own. */
export const defineQueryDatabase = (
  options: QueryDatabaseOptions = {},
): Tool<Input, QueryAnswer> => {
  const processes = openProcesses();
  return defineTool({
    name: 'query_database',
    description:
      'Runs one SQL statement on a SQLite file of the workspace or on PostgreSQL and returns its rows. Read-only unless mode is "write".',
    documentation:
      'PostgreSQL is the one at the secret DATABASE_URL. Its host has to be named in services.postgres.hosts, and a private one in egress.allowPrivate, too; the folder of a socket counts as localhost. A role that can run programs or reach files of the server is not used. In mode read, statements and functions that act on sessions, files or other servers are refused as well; the list of those functions knows PostgreSQL and common extensions and can lag behind others, so give DATABASE_URL a role that may only read. A change of a SQLite file of up to 16 MB can be undone as long as nothing else changed it since; one of PostgreSQL cannot.',
    source: 'builtin',
    category: 'database',
    tier: 'write',
    capabilities: capabilitiesOf(options),
    actionField: 'mode',
    permissions: ['tool:query_database'],
    needs: {
      paths: [{ path: '.', access: 'write' }],
      secrets: ['DATABASE_URL'],
      ...(options.hosts?.length && { hosts: options.hosts }),
    },
    targets: ({ path }) => ({ paths: path === undefined ? [] : [path] }),
    labels: { trust: 'untrusted', sensitivity: 'private' },
    cost: { model: 'free' },
    timeoutMs: 130_000,
    rateLimit: { maxPerHour: 2000 },
    concurrency: { limit: 4, queue: 100 },
    aliases: ['database:query', 'database_query'],
    tags: ['sql', 'database', 'sqlite', 'postgres', 'query'],
    examples,
    input,
    output,
    run: async (request, context) => {
      assertOneStatement(request.query);
      return request.path === undefined
        ? onPostgres(request, context, options)
        : onSqlite({ ...request, path: request.path }, context, processes.get);
    },
    undo: (request, { kept }, context) =>
      restore(request, kept, { context, processes: processes.get }),
    cleanup: processes.close,
  });
};
