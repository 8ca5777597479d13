/** The outcomes on record, newest first, page by page: a long trail is never held whole. */
import type { AuditFilter, AuditLog, AuditRow } from '../../../contract/audit.ts';

const ROWS_AT_ONCE = 200;

export const outcomeRows = async function* outcomeRows(
  audit: Pick<AuditLog, 'query'>,
  filter: Pick<AuditFilter, 'from' | 'to'> = {},
): AsyncGenerator<AuditRow, void> {
  for (let before: number | undefined; ; ) {
    const page = before === undefined ? {} : { before };
    const wanted: AuditFilter = { ...filter, ...page, kind: 'outcome', limit: ROWS_AT_ONCE };
    const rows = await audit.query(wanted);
    yield* rows;
    before = rows.at(-1)?.seq;
    if (rows.length < ROWS_AT_ONCE) return;
  }
};
