/** Finds audit rows, newest first, in pages: a long answer is not one statement, nor one message. */
import type { AuditFilter, AuditRow } from '../../contract/audit.ts';
import { AUDIT_COLUMNS, type AuditRecord, fromAuditRecord } from '../audit-columns.ts';
import { type AuditCondition, auditConditions, conditionTexts } from '../audit-conditions.ts';
import type { Database } from './database/open-database.ts';

const PAGE = 5000;

/** Writes the statement. It depends only on which fields are set, so there are few statements to prepare. */
const textOf = (conditions: readonly AuditCondition[]): string => {
  let next = 3;
  const parts = conditionTexts(conditions, () => `$${next++}`);
  return `SELECT ${AUDIT_COLUMNS} FROM @audit WHERE ${['seq < $1', ...parts].join(' AND ')}
    ORDER BY seq DESC LIMIT $2`;
};

/** Returns the rows that match; all of them when the filter sets no limit. */
export const queryAudit = async (
  database: Database,
  filter: AuditFilter,
): Promise<readonly AuditRow[]> => {
  const limit = filter.limit ?? Number.MAX_SAFE_INTEGER;
  const { seq } = filter;
  const conditions: readonly AuditCondition[] = [
    ...auditConditions(filter),
    ...(seq === undefined ? [] : [{ sql: 'seq =', values: [seq] }]),
  ];
  const find = database.prepare(textOf(conditions));
  const values = conditions.flatMap(({ values: each }) => each);
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
