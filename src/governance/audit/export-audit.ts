/** The trail as text, page by page: JSON Lines that can be verified, or CSV for people. */
import type { AuditFilter, AuditLog, AuditRow } from '../../contract/audit.ts';
import { matchesAuditFilter } from '../../kit/data/matches-audit-filter.ts';
import { BYTE_ORDER_MARK } from '../../kit/text/byte-order-mark.ts';
import { csvCell } from '../../kit/text/csv-cell.ts';
import { anchorLine, auditLine } from './audit-line.ts';

const COLUMNS: readonly (readonly [string, (row: AuditRow) => string | number])[] = [
  ['seq', (row) => row.seq],
  ['time', (row) => timeOf(row.at)],
  ['kind', (row) => row.kind],
  ['execution_id', (row) => row.executionId],
  ['tool', (row) => row.tool],
  ['version', (row) => row.version],
  ['tier', (row) => row.tier],
  ['user', (row) => row.userId],
  ['agent', (row) => row.agentId],
  ['session', (row) => row.sessionId],
  ['status', (row) => row.status],
  ['code', (row) => row.code],
  ['duration_ms', (row) => row.durationMs],
  ['cost_micros', (row) => row.costMicros],
  ['detail', (row) => JSON.stringify(row.detail)],
  ['hash', (row) => row.hash],
];

/** Beyond it the calendar ends. */
const LAST_DATE = 8.64e15;

const timeOf = (at: number): string =>
  Math.abs(at) <= LAST_DATE ? new Date(at).toISOString() : String(at);

export const CSV_HEAD = COLUMNS.map(([name]) => name).join(',');

/** Writes a row as CSV (RFC 4180), without the line end, so that no spreadsheet sees a formula. */
export const csvLine = (row: AuditRow): string =>
  COLUMNS.map(([, cellOf]) => csvCell(cellOf(row))).join(',');

export interface ExportFilter extends Omit<AuditFilter, 'before' | 'limit'> {
  readonly agentId?: string;
  readonly sessionId?: string;
}

export interface ExportOptions {
  readonly format: 'jsonl' | 'csv';
  readonly filter?: ExportFilter;
  /** A byte order mark before CSV, for programs that guess the encoding. */
  readonly bom?: boolean;
  /** Told how many rows were read so far. */
  readonly onRows?: ((count: number) => void) | undefined;
}

/** Tells whether a row matches every part of the filter. */
const matchesFilter = (row: AuditRow, filter: ExportFilter): boolean =>
  (filter.agentId === undefined || row.agentId === filter.agentId) &&
  (filter.sessionId === undefined || row.sessionId === filter.sessionId) &&
  matchesAuditFilter(row, filter);

/** Tells whether an export is whole: filtered rows are no chain and cannot be verified. */
export const isWhole = (filter: ExportFilter): boolean =>
  Object.values(filter).every((value) => value === undefined);

const opening = async (log: AuditLog, options: Required<Omit<ExportOptions, 'onRows'>>) => {
  if (options.format === 'csv') return `${options.bom ? BYTE_ORDER_MARK : ''}${CSV_HEAD}\r\n`;
  const anchor = isWhole(options.filter) ? await log.anchor() : undefined;
  return anchor ? `${anchorLine(anchor)}\n` : '';
};

export interface ExportPart {
  readonly text: string;
  /** How many rows the text holds. */
  readonly rows: number;
}

/** Exports rows, oldest first, in pieces of some hundred rows. */
export async function* exportAudit(
  log: AuditLog,
  options: ExportOptions,
): AsyncIterable<ExportPart> {
  const { format, filter = {}, bom = false, onRows } = options;
  const lineOf = format === 'csv' ? csvLine : auditLine;
  const end = format === 'csv' ? '\r\n' : '\n';
  yield { text: await opening(log, { format, filter, bom }), rows: 0 };
  let count = 0;
  for await (const page of log.scan()) {
    const rows = page.filter((row) => matchesFilter(row, filter));
    count += page.length;
    onRows?.(count);
    yield { text: rows.map((row) => lineOf(row) + end).join(''), rows: rows.length };
  }
}
