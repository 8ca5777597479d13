/**
 * Finds audit rows, newest first. Only the execution id and the time have an index; for the rest the
 * table is searched backwards in steps, with a turn of the event loop after each, so that a search
 * through a million rows does not block the process.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuditFilter, AuditRow } from '../../contract/audit.ts';
import type { Database } from '../../kit/sqlite/open-database.ts';
import type { Writer } from '../../kit/sqlite/writer.ts';
import { AUDIT_COLUMNS, type AuditRecord, fromAuditRecord } from '../audit-columns.ts';
import { auditConditions, conditionTexts } from '../audit-conditions.ts';

interface Range {
  /** Inclusive. */
  readonly low: number;
  /** Exclusive. */
  readonly high: number;
}

const STEP = 20_000;

/** Finds the range of row numbers that holds the times of the filter; times need not rise with numbers. */
const rangeOf = (database: Database, { from, to, before, seq }: AuditFilter): Range => {
  if (seq !== undefined) return { low: seq, high: Math.min(seq + 1, before ?? seq + 1) };
  const span = database.prepare(
    from === undefined && to === undefined
      ? 'SELECT (SELECT min(seq) FROM audit) AS low, (SELECT max(seq) FROM audit) AS high'
      : 'SELECT min(seq) AS low, max(seq) AS high FROM audit WHERE at >= ? AND at < ?',
  );
  const times =
    from === undefined && to === undefined
      ? []
      : [from ?? -Number.MAX_VALUE, to ?? Number.MAX_VALUE];
  const bounds = span.get(...times) as { low: number | null; high: number | null };
  const high = bounds.high === null ? 0 : bounds.high + 1;
  return { low: bounds.low ?? 0, high: Math.min(high, before ?? high) };
};

/** Returns the rows that match; all of them when the filter sets no limit. */
export const queryAudit = async (
  database: Database,
  writer: Writer,
  filter: AuditFilter,
): Promise<readonly AuditRow[]> => {
  const limit = filter.limit ?? Number.MAX_SAFE_INTEGER;
  const conditions = auditConditions(filter);
  const find = await writer.read(() =>
    database.prepare(
      `SELECT ${AUDIT_COLUMNS} FROM audit
       WHERE ${[...conditionTexts(conditions, () => '?'), 'seq >= ?', 'seq < ?'].join(' AND ')}
       ORDER BY seq DESC LIMIT ?`,
    ),
  );
  const values = conditions.flatMap(({ values: each }) => each);
  const { low, high } = await writer.read(() => rangeOf(database, filter));
  const stride = filter.executionId === undefined ? STEP : Number.MAX_SAFE_INTEGER;
  const rows: AuditRow[] = [];
  for (let top = high; top > low && rows.length < limit; top -= stride) {
    if (top < high) await nextTurn();
    const bottom = Math.max(low, top - stride);
    const missing = limit - rows.length;
    const page = await writer.read(() => find.all(...values, bottom, top, missing));
    for (const record of page as AuditRecord[]) rows.push(fromAuditRecord(record));
  }
  return rows;
};
