/** A row as a line of CSV (RFC 4180) in which no spreadsheet finds a formula. */
import type { AuditRow } from '../../contract/audit.ts';

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

/** Also after white space and marks nobody sees, and in full width, which some programs fold. */
const FORMULA = /^(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u;

const csvCell = (value: string | number): string => {
  const text = String(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export const CSV_HEAD = COLUMNS.map(([name]) => name).join(',');

/** Without the end of the line. */
export const csvLine = (row: AuditRow): string =>
  COLUMNS.map(([, cellOf]) => csvCell(cellOf(row))).join(',');
