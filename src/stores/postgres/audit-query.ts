/** Finds audit rows, newest first, in pages: a long answer is not one statement, nor one message. */
import type { AuditFilter, AuditRow } from '../../contract/audit.ts';
import { AUDIT_COLUMNS, type AuditRecord, fromAuditRecord } from '../audit-columns.ts';
import { toSqlText } from '../sql-text.ts';
import type { Database, SqlValue } from './database/open-database.ts';

const PAGE = 5000;

const FIELDS = [
  ['executionId', 'execution_id ='],
  ['userId', 'user_id ='],
  ['tool', 'tool ='],
  ['tier', 'tier ='],
  ['status', 'status ='],
  ['kind', 'kind ='],
  ['from', 'at >='],
  ['to', 'at <'],
  ['seq', 'seq ='],
] as const satisfies readonly (readonly [keyof AuditFilter, string])[];

interface Condition {
  readonly sql: string;
  readonly value: SqlValue;
}

const conditionsOf = (filter: AuditFilter): readonly Condition[] =>
  FIELDS.flatMap(([field, sql]) => {
    const value = filter[field];
    if (value === undefined) return [];
    return [{ sql, value: typeof value === 'string' ? toSqlText(value) : value }];
  });

/** The text depends on which fields are set alone, so there are few of them to prepare. */
const textOf = (conditions: readonly Condition[]): string => {
  const parts = conditions.map(({ sql }, index) => `${sql} $${index + 3}`);
  return `SELECT ${AUDIT_COLUMNS} FROM @audit WHERE ${['seq < $1', ...parts].join(' AND ')}
    ORDER BY seq DESC LIMIT $2`;
};

/** Returns the rows that match; all of them when the filter sets no limit. */
export const queryAudit = async (
  database: Database,
  filter: AuditFilter,
): Promise<readonly AuditRow[]> => {
  const limit = filter.limit ?? Number.MAX_SAFE_INTEGER;
  const conditions = conditionsOf(filter);
  const find = database.prepare(textOf(conditions));
  const values = conditions.map(({ value }) => value);
  const rows: AuditRow[] = [];
  let before = filter.before ?? Number.MAX_SAFE_INTEGER;
  while (rows.length < limit) {
    const size = Math.min(PAGE, Math.ceil(limit - rows.length));
    const page = await find.all<AuditRecord>(before, size, ...values);
    for (const record of page) rows.push(fromAuditRecord(record));
    if (page.length < size) break;
    before = rows.at(-1)?.seq ?? 0;
  }
  return rows;
};
