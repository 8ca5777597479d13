/**
 * Reads all tables of a SQLite store for a copy. Nobody can write to the file meanwhile; a file that a
 * living process has claims in is refused.
 */
import type { AuditCheckpoint, AuditRow } from '../../contract/audit.ts';
import type { FlowRun } from '../../contract/flow-store.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Database } from '../../kit/sqlite/open-database.ts';
import { toSqlText } from '../../kit/text/sql-text.ts';
import { type AuditRecord, fromAuditRecord } from '../audit-columns.ts';
import { mergeScopes } from '../budget-amounts.ts';
import { type AnchorRecord, readAnchor } from '../read-anchor.ts';
import {
  COPIED_TABLES,
  type CopiedRow,
  type CopiedTable,
  type TableSource,
} from '../table-rows.ts';
import { inTransaction, type UnusedFile, withUnusedDatabase } from './unused-database.ts';

/** The tables, and the trail among them as it is verified. */
export interface ExportedTables extends TableSource {
  readonly anchor: AuditCheckpoint | undefined;
  trail(): AsyncIterable<readonly AuditRow[]>;
}

/** Rows of one page at most, and bytes of files that were kept. */
const MAX_PAGE = 500;
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** Columns that SQLite does not have under the same name. */
const SELECTED: Partial<Record<CopiedTable, string>> = {
  audit_anchor: 'one, seq, checkpoint',
  flow_runs: 'id, flow, user_id, status, owner, wake_at, created_at, updated_at, record',
  vectors: 'user_key, kind, id_key, id_key AS id, model, dimensions, vector, stored_at',
};

/** Tables without row numbers; all others are read in the order of theirs. */
const WITHOUT_ROWID: ReadonlySet<CopiedTable> = new Set([
  'intents',
  'budgets',
  'holds',
  'counters',
]);

const escapedScopes = (scopes: string): unknown =>
  mergeScopes(JSON.parse(scopes)).map((scope) => ({ ...scope, key: toSqlText(scope.key) }));

/** Bytes as PostgreSQL reads them. */
const bytesText = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes).toString('hex')}`;

type Convert = (row: never) => CopiedRow;

const CONVERSIONS: Partial<Record<CopiedTable, Convert>> = {
  audit_anchor: (row: { seq: number; checkpoint: string }) => ({
    ...row,
    hash: readAnchor(row).hash,
  }),
  holds: (row: { scopes: string }) => ({ ...row, scopes: escapedScopes(row.scopes) }),
  snapshots: (row: { before: Uint8Array | null }) => ({
    ...row,
    before: row.before && bytesText(row.before),
  }),
  vectors: (row: { vector: Uint8Array }) => ({ ...row, vector: bytesText(row.vector) }),
  flow_runs: (row: { record: string }) => ({
    ...row,
    epoch: (JSON.parse(row.record) as FlowRun).epoch,
  }),
};

/** Replaces infinity, which JSON has no text for. */
const plainNumbers = (row: CopiedRow): CopiedRow =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
    ]),
  );

const bytesOf = (row: CopiedRow): number =>
  Object.values(row).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 0),
    0,
  );

/** Reads by position, a row at a time: a page must not hold a hundred large files. */
const rowsOf = function* rowsOf(database: Database, table: CopiedTable): Generator<CopiedRow> {
  const columns = SELECTED[table] ?? COPIED_TABLES[table];
  const convert = (CONVERSIONS[table] ?? ((row: CopiedRow) => row)) as (row: unknown) => CopiedRow;
  if (WITHOUT_ROWID.has(table)) {
    for (const row of database.prepare(`SELECT ${columns} FROM ${table}`).all())
      yield plainNumbers(convert(row));
    return;
  }
  const size = table === 'snapshots' || table === 'results' ? 1 : MAX_PAGE;
  const find = database.prepare(
    `SELECT rowid AS copied_row, ${columns} FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${size}`,
  );
  for (let last = -1; ; ) {
    const rows = find.all(last) as (CopiedRow & { copied_row: number })[];
    for (const { copied_row, ...row } of rows) {
      last = copied_row;
      yield plainNumbers(convert(row));
    }
    if (rows.length < size) return;
  }
};

const pagesOf = function* pagesOf(
  database: Database,
  table: CopiedTable,
): Generator<readonly CopiedRow[]> {
  let page: CopiedRow[] = [];
  let bytes = 0;
  for (const row of rowsOf(database, table)) {
    page.push(row);
    bytes += bytesOf(row);
    if (page.length < MAX_PAGE && bytes < MAX_PAGE_BYTES) continue;
    yield page;
    page = [];
    bytes = 0;
  }
  if (page.length > 0) yield page;
};

const trailOf = async function* trailOf(database: Database): AsyncGenerator<readonly AuditRow[]> {
  for (const page of pagesOf(database, 'audit')) {
    yield (page as readonly unknown[] as readonly AuditRecord[]).map(fromAuditRecord);
  }
};

const anchorOf = (database: Database): AuditCheckpoint | undefined => {
  const record = database.prepare('SELECT seq, checkpoint FROM audit_anchor').get();
  return record === undefined ? undefined : readAnchor(record as AnchorRecord);
};

/** Reads what AUTOINCREMENT has noted: the last ids may be those of events that are gone. */
const lastEventIdOf = (database: Database): number => {
  const row = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'flow_events'").get();
  return Number((row as { readonly seq: number } | undefined)?.seq ?? 0);
};

const countRows = (database: Database): number =>
  (Object.keys(COPIED_TABLES) as CopiedTable[]).reduce((sum, table) => {
    const row = database.prepare(`SELECT count(*) AS rows FROM ${table}`).get() as { rows: number };
    return sum + Number(row.rows);
  }, 0);

/** Runs the work while the file cannot be written. Fails with NOT_FOUND, CONFLICT or STORE_UNAVAILABLE. */
export const withExportedTables = async <T>(
  file: UnusedFile,
  runtime: Runtime,
  work: (source: ExportedTables) => Promise<T>,
): Promise<T> =>
  withUnusedDatabase(file, runtime, (database) =>
    inTransaction(database, runtime, () =>
      work({
        anchor: anchorOf(database),
        trail: () => trailOf(database),
        pages: (table: CopiedTable) => pagesOf(database, table),
        total: countRows(database),
        lastEventId: lastEventIdOf(database),
      }),
    ),
  );
