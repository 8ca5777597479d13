/** Tells whether a row of the audit trail is one that a filter asks for, where no database does. */
import type { AuditFilter, AuditRow } from '../../contract/audit.ts';

const EQUALS = [
  'executionId',
  'userId',
  'tool',
  'version',
  'tier',
  'status',
  'code',
  'kind',
  'seq',
] as const satisfies readonly (keyof AuditFilter & keyof AuditRow)[];

/** Leaves `before` and `limit` to whoever reads page by page. */
export const matchesAuditFilter = (row: Omit<AuditRow, 'detail'>, filter: AuditFilter): boolean =>
  EQUALS.every((name) => filter[name] === undefined || row[name] === filter[name]) &&
  (filter.statuses === undefined || filter.statuses.includes(row.status)) &&
  (filter.from === undefined || row.at >= filter.from) &&
  (filter.to === undefined || row.at < filter.to) &&
  (filter.overMs === undefined || row.durationMs > filter.overMs) &&
  (filter.upToMs === undefined || row.durationMs <= filter.upToMs);
