/** Makes the file of a report in the format that was asked for. */
import type { ReportFile, ReportFormat, UsageReport } from '../../contract/usage-report.ts';
import { visibleJson } from '../../kit/text/visible-text.ts';
import { reportCsv } from './report-csv.ts';
import { reportHtml } from './report-html.ts';

const TYPES: Readonly<Record<ReportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json',
  html: 'text/html; charset=utf-8',
};

const textOf = (report: UsageReport, format: ReportFormat): string => {
  if (format === 'csv') return reportCsv(report);
  return format === 'html'
    ? reportHtml(report)
    : `${visibleJson(JSON.stringify(report, undefined, 2))}\n`;
};

export const reportFile = (report: UsageReport, format: ReportFormat): ReportFile => ({
  name: `toolcrib-usage-${report.month}.${format}`,
  type: TYPES[format],
  text: textOf(report, format),
  calls: report.total.calls,
});
