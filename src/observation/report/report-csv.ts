/** Writes a report as CSV: one row for each day, user, tool and source. */
import type { UsageReport, UsageReportLine } from '../../contract/usage-report.ts';
import { csvCell } from '../../kit/text/csv-cell.ts';
import { visibleText } from '../../kit/text/visible-text.ts';

const COLUMNS: readonly (readonly [string, (line: UsageReportLine) => string | number])[] = [
  // The file may be shown on a terminal.
  ['name', (line) => visibleText(line.name)],
  ['calls', (line) => line.calls],
  ['succeeded', (line) => line.succeeded],
  ['errors', (line) => line.errors],
  ['denied', (line) => line.denied],
  ['tokens', (line) => line.tokens],
  ['cost_usd', (line) => line.costUsd],
  ['booked_usd', (line) => line.bookedUsd ?? ''],
  ['limit_usd_per_day', (line) => line.limit?.usd ?? ''],
  ['limit_calls_per_day', (line) => line.limit?.calls ?? ''],
  ['limit_tokens_per_day', (line) => line.limit?.tokens ?? ''],
];

const HEAD = ['month_utc', 'kind', ...COLUMNS.map(([name]) => name)].join(',');

export const reportCsv = ({ month, total, days, users, tools, sources }: UsageReport): string => {
  const rowsOf = (kind: string, lines: readonly UsageReportLine[]): readonly string[] =>
    lines.map((line) => [month, kind, ...COLUMNS.map(([, of]) => of(line))].map(csvCell).join(','));
  const rows = [
    ...rowsOf('total', [total]),
    ...rowsOf('day', days),
    ...rowsOf('user', users),
    ...rowsOf('tool', tools),
    ...rowsOf('source', sources),
  ];
  return `${[HEAD, ...rows].join('\r\n')}\r\n`;
};
