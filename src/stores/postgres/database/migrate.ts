/**
 * Brings a schema to the version this Toolcrib knows, in one transaction under a lock, so that processes
 * that start at once take turns. Refuses a schema of another program or of a newer version.
 */
import { refuseDatabase } from '../../../kit/data/store-refusals.ts';
import { MIGRATIONS } from './migrations.ts';
import type { Database, Run } from './open-database.ts';

/** The lock is the database's; two schemas that migrate at once wait for each other, too. */
const LOCK = 'SELECT pg_advisory_xact_lock(1415803490)';

interface Content {
  /** Whether the schema is there. */
  readonly exists: boolean;
  readonly tables: number;
  readonly isOurs: boolean;
}

/** One query, so that what it says was true at one moment. */
const CONTENT = `SELECT count(DISTINCT nspname) > 0 AS exists, count(relname)::int AS tables,
  coalesce(bool_or(relname = 'store_schema'), false) AS "isOurs"
  FROM pg_namespace LEFT JOIN pg_class ON relnamespace = pg_namespace.oid WHERE nspname = $1`;

const contentOf = async (run: Run, schema: string): Promise<Content> =>
  (await run(CONTENT, [schema]))[0] as Content;

/** Reads the version of a schema that is Toolcrib's or empty. Throws for any other. */
const schemaVersion = async (run: Run, schema: string): Promise<number> => {
  const { tables, isOurs } = await contentOf(run, schema);
  if (!isOurs) {
    if (tables === 0) return 0;
    return refuseDatabase(
      'The schema holds tables of another program.',
      'Choose another name for the schema with store.schema.',
    );
  }
  const rows = await run('SELECT version FROM @store_schema');
  const { version } = rows[0] as { version: number };
  if (version <= MIGRATIONS.length) return version;
  return refuseDatabase(
    `The database has schema version ${version}; this Toolcrib knows versions up to ${MIGRATIONS.length}.`,
    'Use the newer Toolcrib that wrote it, or choose another schema.',
  );
};

const step = async (run: Run, schema: string): Promise<void> => {
  const version = await schemaVersion(run, schema);
  if (version === MIGRATIONS.length) return;
  // A user who may not make schemas may have been given one.
  const { exists } = await contentOf(run, schema);
  if (!exists) await run(`CREATE SCHEMA "${schema}"`);
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
