/** Writes a report as one page that prints well: no script, nothing fetched, every text escaped. */
import type { UsageReport, UsageReportLine } from '../../contract/usage-report.ts';
import { escapeHtml } from '../../kit/text/escape-html.ts';
import { visibleText } from '../../kit/text/visible-text.ts';

const STYLE = `
:root { color-scheme: light; }
body { font: 14px/1.45 system-ui, sans-serif; color: #1c2024; background: #fff; max-width: 900px; margin: 32px auto; padding: 0 20px; }
h1 { font-size: 24px; margin: 0 0 4px; }
h2 { font-size: 17px; margin: 28px 0 6px; }
.muted { color: #5b6470; margin: 0 0 12px; }
.totals { display: flex; flex-wrap: wrap; gap: 8px 28px; margin: 18px 0; padding: 12px 16px; border: 1px solid #d5dae0; border-radius: 8px; }
.totals div { min-width: 90px; }
.totals dt { color: #5b6470; font-size: 12px; }
.totals dd { margin: 0; font-size: 19px; font-variant-numeric: tabular-nums; }
.frame { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: 5px 8px; border-bottom: 1px solid #e3e7eb; text-align: left; vertical-align: top; }
th { color: #5b6470; font-size: 12px; font-weight: 600; white-space: nowrap; }
td:first-child { overflow-wrap: anywhere; min-width: 110px; }
@media (max-width: 600px) {
  body { margin: 16px auto; padding: 0 12px; }
  th, td { padding: 5px 4px; font-size: 12px; }
  td:first-child { min-width: 84px; }
}
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
@media print {
  body { font-size: 10.5pt; margin: 0; max-width: none; padding: 0; }
  .frame { overflow: visible; }
  thead { display: table-header-group; }
  tr { break-inside: avoid; }
  h2 { break-after: avoid; }
  @page { margin: 16mm; }
}`;

const text = (value: string): string => escapeHtml(visibleText(value));

const count = (value: number): string => value.toLocaleString('en-US');

const FRACTION_DIGITS = 4;
const SMALLEST = 0.0001;

/**
 * Formats dollars with the same number of digits in every line, so that columns align; CSV and JSON have
 * the exact sums.
 */
const usd = (value: number): string => {
  if (value > 0 && value < SMALLEST) return `&lt; $${SMALLEST}`;
  const digits = { minimumFractionDigits: FRACTION_DIGITS, maximumFractionDigits: FRACTION_DIGITS };
  return `$${value.toLocaleString('en-US', digits)}`;
};

const limitUsd = (value: number): string =>
  `$${value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 6 })}`;

const limitText = ({ limit }: UsageReportLine): string =>
  [
    limit?.usd === undefined ? '' : limitUsd(limit.usd),
    limit?.calls === undefined ? '' : `${count(limit.calls)} calls`,
    limit?.tokens === undefined ? '' : `${count(limit.tokens)} tokens`,
  ]
    .filter((part) => part !== '')
    .join(', ');

const cell = (value: string, isNumber = true): string =>
  `<td${isNumber ? ' class="n"' : ''}>${value}</td>`;

const rowOf = (line: UsageReportLine, hasLedger: boolean): string => {
  const { name, calls, errors, denied, tokens, costUsd, bookedUsd } = line;
  const ledger = hasLedger
    ? cell(bookedUsd === undefined ? '–' : usd(bookedUsd)) + cell(text(limitText(line)) || '–')
    : '';
  const numbers = [count(calls), count(errors), count(denied), count(tokens), usd(costUsd)];
  return `<tr>${cell(text(name), false)}${numbers.map((value) => cell(value)).join('')}${ledger}</tr>`;
};

interface Section {
  readonly title: string;
  readonly head: string;
  readonly lines: readonly UsageReportLine[];
  readonly hasLedger?: boolean;
}

const sectionOf = ({ title, head, lines, hasLedger = false }: Section): string => {
  if (lines.length === 0) return `<h2>${title}</h2><p class="muted">No calls.</p>`;
  const numbers = ['Calls', 'Errors', 'Denied', 'Tokens', 'Cost', ...(hasLedger ? ['Booked'] : [])];
  const heads = numbers.map((name) => `<th scope="col" class="n">${name}</th>`).join('');
  const limit = hasLedger ? '<th scope="col" class="n">Limit a day</th>' : '';
  const rows = lines.map((line) => rowOf(line, hasLedger)).join('\n');
  return `<h2>${title}</h2><div class="frame"><table><thead><tr><th scope="col">${head}</th>${heads}${limit}</tr></thead><tbody>
${rows}
</tbody></table></div>`;
};

const totalsOf = ({ calls, succeeded, errors, denied, tokens, costUsd }: UsageReportLine): string =>
  [
    ['Calls', count(calls)],
    ['Succeeded', count(succeeded)],
    ['Errors', count(errors)],
    ['Denied', count(denied)],
    ['Tokens', count(tokens)],
    ['Cost', usd(costUsd)],
  ]
    .map(([label = '', value = '']) => `<div><dt>${label}</dt><dd>${value}</dd></div>`)
    .join('');

export const reportHtml = (report: UsageReport): string => {
  const { month, madeAt, isComplete, total, days, users, tools, sources } = report;
  const made = `${new Date(madeAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const hasBegun = madeAt >= Date.parse(`${month}-01T00:00:00Z`);
  const state = isComplete ? '' : ` The month ${hasBegun ? 'is not over' : 'has not begun'}.`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Usage ${text(month)}</title>
<style>${STYLE}</style></head><body>
<h1>Usage ${text(month)}</h1>
<p class="muted">Days in UTC. Made ${made}.${state} Calls that cost nothing are counted as well; dry runs are not. <em>Booked</em> is what the budgets counted, and – where they counted nothing.</p>
<dl class="totals">${totalsOf(total)}</dl>
${sectionOf({ title: 'By day', head: 'Day', lines: days })}
${sectionOf({ title: 'By user', head: 'User', lines: users, hasLedger: true })}
${sectionOf({ title: 'By tool', head: 'Tool', lines: tools, hasLedger: true })}
${sectionOf({ title: 'By source', head: 'Source', lines: sources })}
</body></html>
`;
};
