/**
 * Fills an empty PostgreSQL store with the tables of another one, in one transaction: all of it is
 * there afterwards, or nothing.
 */
import type { AuditCheckpoint, AuditRow } from '../../contract/audit.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { AUDIT_COLUMNS, type AuditRecord, fromAuditRecord } from '../audit-columns.ts';
import { type AnchorRecord, readAnchor } from '../read-anchor.ts';
import {
  COPIED_TABLES,
  type CopiedRow,
  type CopiedTable,
  type TableSource,
} from '../table-rows.ts';
import { shortKey } from './database/key-text.ts';
import { migrate } from './database/migrate.ts';
import { openDatabase, type Run } from './database/open-database.ts';
import { openFailure } from './database/store-failure.ts';

/** The trail as it was copied, before the copy is committed. */
export interface CopiedTrail {
  readonly anchor: AuditCheckpoint | undefined;
  scan(): AsyncIterable<readonly AuditRow[]>;
}

export interface ImportOptions {
  readonly url: string;
  readonly schema: string;
  readonly runtime: Runtime;
  /** Where the files are that the calls of the source changed. */
  readonly place: string;
  /** Called after each page with the number of rows copied so far. */
  onRows?(rows: number): void;
  /** Throws where the copied trail is not as it has to be: nothing is kept then. */
  check(trail: CopiedTrail): Promise<void>;
}

const PAGE = 1000;
const LOCK_TIMEOUT_MS = 5_000;
const TABLES = Object.keys(COPIED_TABLES) as readonly CopiedTable[];

/** Columns whose long values are digests here. */
const KEYS: Partial<Record<CopiedTable, readonly string[]>> = {
  replays: ['key'],
  counters: ['key'],
  memory: ['space', 'key'],
  vectors: ['user_key', 'id_key', 'model'],
  flow_runs: ['id'],
  flow_steps: ['run_id', 'key'],
  flow_events: ['run_id'],
};

/** Tables that say here where the files of a call are; the source has the files of one place. */
const PLACED: ReadonlySet<CopiedTable> = new Set(['intents', 'snapshots']);

const insertInto = (table: CopiedTable): string => {
  const columns = COPIED_TABLES[table];
  const [name, value] = PLACED.has(table) ? [', place', ', $2'] : ['', ''];
  return `INSERT INTO @${table} (${columns}${name})
    SELECT ${columns}${value} FROM jsonb_populate_recordset(NULL::@${table}, $1::jsonb)`;
};

const withShortKeys = (table: CopiedTable, rows: readonly CopiedRow[]): readonly CopiedRow[] => {
  const keys = KEYS[table];
  if (!keys) return rows;
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries(keys.map((key) => [key, shortKey(String(row[key]))])),
  }));
};

const assertEmpty = async (run: Run): Promise<void> => {
  for (const table of [...TABLES, 'owners']) {
    if ((await run(`SELECT 1 FROM @${table} LIMIT 1`)).length === 0) continue;
    throw new ToolFailure('CONFLICT', 'The target holds data already.', {
      suggestions: [
        'Name another database, or another schema with --schema.',
        'If an earlier run has copied the store already: toolcrib store migrate --jobs',
      ],
    });
  }
};

/** Makes the function that inserts a page into a table. */
const inserter = (
  run: Run,
  table: CopiedTable,
  place: string,
): ((page: readonly CopiedRow[]) => Promise<unknown>) => {
  const insert = insertInto(table);
  const values = PLACED.has(table) ? [place] : [];
  return (page) => run(insert, [JSON.stringify(withShortKeys(table, page)), ...values]);
};

const scanWith = async function* scanWith(run: Run): AsyncGenerator<readonly AuditRow[]> {
  const sql = `SELECT ${AUDIT_COLUMNS} FROM @audit WHERE seq >= $1 ORDER BY seq LIMIT ${PAGE}`;
  for (let next = 1; ; ) {
    const rows = ((await run(sql, [next])) as AuditRecord[]).map(fromAuditRecord);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    next = last.seq + 1;
  }
};

/**
 * Goes on behind the last id of the source, whose event may be gone: a run would take an event under an id
 * that one of its steps names for one that it has had.
 */
const continueEventIds = async (run: Run, { lastEventId }: TableSource): Promise<void> => {
  if (lastEventId === 0) return;
  await run(`SELECT setval(pg_get_serial_sequence('@flow_events', 'id'), $1)`, [lastEventId]);
};

const copyAll = async (run: Run, source: TableSource, options: ImportOptions): Promise<number> => {
  // The locks of all write groups: nobody writes to the target meanwhile.
  await run('UPDATE @lanes SET version = version + 1');
  await assertEmpty(run);
  let copied = 0;
  for (const table of TABLES) {
    const insert = inserter(run, table, options.place);
    for (const page of source.pages(table)) {
      await insert(page);
      copied += page.length;
      options.onRows?.(copied);
    }
  }
  await continueEventIds(run, source);
  const [anchor] = (await run('SELECT seq, checkpoint FROM @audit_anchor')) as AnchorRecord[];
  await options.check({ anchor: anchor && readAnchor(anchor), scan: () => scanWith(run) });
  return copied;
};

/** Resolves to the number of rows. Fails with CONFLICT when the target is not empty. */
export const importTables = async (
  source: TableSource,
  options: ImportOptions,
): Promise<{ readonly rows: number; readonly address: string }> => {
  const { url, schema, runtime } = options;
  const place = { url, schema, runtime, connections: 2, lockTimeoutMs: LOCK_TIMEOUT_MS };
  const database = await openDatabase(place);
  try {
    await migrate(database);
    const rows = await database.transaction((run) => copyAll(run, source, options));
    return { rows, address: `${database.address}, schema ${schema}` };
  } catch (error) {
    throw openFailure(error);
  } finally {
    await database.close();
  }
};
