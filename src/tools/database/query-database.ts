/** `query_database`: one SQL statement on a SQLite file or on PostgreSQL; read-only unless declared. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { defineTool, type Tool, type ToolExample } from '../../contract/tool.ts';
import { assertOneStatement } from './one-statement.ts';
import type { QueryAnswer } from './query-request.ts';
import type { PostgresPlace } from './run-postgres.ts';

const input = z.strictObject({
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

const output = z.strictObject({
  columns: z.array(z.string()).describe('The names of the columns.'),
  rows: z
    .array(z.record(z.string(), z.unknown()))
    .describe('The rows. Bytes are { base64 }, integers beyond 2^53 are strings.'),
  rowCount: z.int().describe('How many rows were given, or changed.'),
  truncated: z.boolean().describe('True when there is more than maxRows or maxBytes.'),
});

type Input = z.infer<typeof input>;

export interface QueryDatabaseOptions {
  /** How PostgreSQL may be reached; without it only SQLite files can be. */
  readonly postgres?: PostgresPlace;
}

const onSqlite = async (path: string, asked: Input, context: ToolContext): Promise<QueryAnswer> => {
  const { fs, signal } = context;
  const absolute = await fs.resolve(path, asked.mode);
  const info = await fs.stat(path);
  if (info?.kind !== 'file') {
    throw new ToolFailure('NOT_FOUND', 'There is no such database file.', {
      suggestions: ['List the directory first.'],
    });
  }
  const { runSqlite } = await import('./run-sqlite.ts');
  return runSqlite(absolute, asked, signal);
};

const onPostgres = async (
  asked: Input,
  context: ToolContext,
  place: PostgresPlace | undefined,
): Promise<QueryAnswer> => {
  if (place === undefined) {
    throw new ToolFailure('PERMISSION_DENIED', 'This crib reaches no PostgreSQL server.', {
      suggestions: ['Name a SQLite file with path, or let a person set up PostgreSQL.'],
    });
  }
  const url = await context.secret('DATABASE_URL');
  const { runPostgres } = await import('./run-postgres.ts');
  return runPostgres({ url, place, signal: context.signal }, asked);
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

export const defineQueryDatabase = ({
  postgres,
}: QueryDatabaseOptions = {}): Tool<Input, QueryAnswer> =>
  defineTool({
    name: 'query_database',
    description:
      'Runs one SQL statement on a SQLite file of the workspace or on PostgreSQL and returns its rows. Read-only unless mode is "write".',
    source: 'builtin',
    category: 'database',
    tier: 'write',
    capabilities: [
      { action: 'read', description: 'Read from a database.', tier: 'read_only' },
      {
        action: 'write',
        description: 'Change a database.',
        tier: postgres ? 'external_api' : 'write',
        requiresConfirmation: true,
        destructive: true,
      },
    ],
    actionField: 'mode',
    permissions: ['tool:query_database'],
    needs: { paths: [{ path: '.', access: 'write' }], secrets: ['DATABASE_URL'] },
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
    run: async (asked, context) => {
      assertOneStatement(asked.query);
      return asked.path === undefined
        ? onPostgres(asked, context, postgres)
        : onSqlite(asked.path, asked, context);
    },
  });

export const queryDatabase = defineQueryDatabase();
