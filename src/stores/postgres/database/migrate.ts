/**
 * Brings a schema to the version this Toolcrib knows, in one transaction under a lock, so that processes
 * that start at once take turns. Refuses a schema of another program or of a newer version.
 */
import { ToolFailure } from '../../../contract/errors.ts';
import { MIGRATIONS } from './migrations.ts';
import type { Database, Run } from './open-database.ts';

const refuse = (message: string, suggestion: string): never => {
  throw new ToolFailure('STORE_UNAVAILABLE', message, {
    retryable: false,
    suggestions: [suggestion],
  });
};

/** The lock is the database's; two schemas that migrate at once wait for each other, too. */
const LOCK = 'SELECT pg_advisory_xact_lock(1415803490)';

const hasTable = async (run: Run, schema: string, table: string): Promise<boolean> => {
  const rows = await run('SELECT to_regclass($1) IS NOT NULL AS found', [`"${schema}".${table}`]);
  return (rows[0] as { found: boolean }).found;
};

const isEmpty = async (run: Run, schema: string): Promise<boolean> => {
  const sql = `SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = $1 LIMIT 1`;
  return (await run(sql, [schema])).length === 0;
};

/** Reads the version of a schema that is Toolcrib's or empty. Throws for any other. */
const schemaVersion = async (run: Run, schema: string): Promise<number> => {
  if (!(await hasTable(run, schema, 'store_schema'))) {
    if (await isEmpty(run, schema)) return 0;
    return refuse(
      'The schema holds tables of another program.',
      'Choose another name for the schema with store.schema.',
    );
  }
  const rows = await run('SELECT version FROM @store_schema');
  const { version } = rows[0] as { version: number };
  if (version <= MIGRATIONS.length) return version;
  return refuse(
    `The database has schema version ${version}; this Toolcrib knows versions up to ${MIGRATIONS.length}.`,
    'Use the newer Toolcrib that wrote it, or choose another schema.',
  );
};

const step = async (run: Run, schema: string): Promise<void> => {
  const version = await schemaVersion(run, schema);
  if (version === MIGRATIONS.length) return;
  await run(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
  await run(`SET LOCAL search_path = "${schema}", pg_temp`);
  for (const sql of MIGRATIONS.slice(version)) await run(sql.replaceAll('SCHEMA_NAME', schema));
  await run('UPDATE store_schema SET version = $1', [MIGRATIONS.length]);
};

/** Migrates the schema; looks without a lock first, because most starts find it up to date. */
export const migrate = async (database: Database): Promise<void> => {
  const { schema } = database;
  const version = await database.transaction((run) => schemaVersion(run, schema));
  if (version === MIGRATIONS.length) return;
  await database.transaction(async (run) => {
    await run(LOCK);
    await step(run, schema);
  });
};
