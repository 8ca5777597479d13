/** `toolcrib usage`: what was spent, by whom and on what, against the limits in force. */
import type { Command } from 'commander';
import type { CribHost } from '../../../contract/crib-host.ts';
import type { UsageLine } from '../../../contract/crib-members.ts';
import type { ToolFailure } from '../../../contract/errors.ts';
import type { CribMetrics } from '../../../contract/metrics.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { misuse } from '../../input/misuse.ts';
import { hint, type Io, print, printJson } from '../../io.ts';
import { counted, formatCount } from '../../output/format-units.ts';
import { type Cell, table } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';
import { usageReportCommand } from './usage-report.ts';
import { summed, usageRow, usageTitle } from './usage-rows.ts';

interface UsagePeriod {
  readonly name: string;
  /** True for several days: the amounts are sums. */
  readonly isLong: boolean;
  /** Milliseconds since the epoch; absent for all time. */
  readonly range: { readonly from?: number; readonly to?: number };
}

const badPeriod = (): ToolFailure =>
  misuse(
    '--period takes a day, a month, or all.',
    'Such as 2026-11-15, 2026-11, or all; by default today.',
  );

const daysOf = (name: string): { readonly from: number; readonly to: number } => {
  const [, year = '', month = '', day] = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/.exec(name) ?? [];
  const at = (more: { month?: number; day?: number }): number =>
    Date.UTC(
      Number(year),
      Number(month) - 1 + (more.month ?? 0),
      Number(day ?? 1) + (more.day ?? 0),
    );
  const from = at({});
  if (year === '' || new Date(from).toISOString().slice(0, name.length) !== name) throw badPeriod();
  return { from, to: day === undefined ? at({ month: 1 }) : at({ day: 1 }) };
};

/** Reads the period; today in UTC without one. Fails with VALIDATION_ERROR. */
export const usagePeriod = (text: string | undefined, now: number): UsagePeriod => {
  if (text === 'all') return { name: text, isLong: true, range: {} };
  const name = text ?? new Date(now).toISOString().slice(0, 10);
  return { name, isLong: name.length < 10, range: daysOf(name) };
};

interface ToolCalls {
  readonly tool: string;
  readonly calls: number;
}

/** Counts the calls of each tool, most called first. Refused calls count as well. */
export const callsByTool = async (
  metrics: Pick<CribMetrics, 'by'>,
  { from = 0, to }: { readonly from?: number; readonly to?: number },
): Promise<readonly ToolCalls[]> => {
  const range = { from, ...(to !== undefined && { to }) };
  const lines = await metrics.by('tool', { ...range, limit: Number.MAX_SAFE_INTEGER });
  return lines.map(({ name, calls }) => ({ tool: name, calls }));
};

interface UsageOptions {
  readonly period?: string;
}

/** Adds the number of free calls, which the tool declares and the ledger does not hold. */
const withFreeLimit = (crib: CribHost, line: UsageLine): UsageLine => {
  const freeCalls = crib.tools.get(line.name)?.tool.cost?.freeTierLimit;
  return line.kind === 'free' && freeCalls !== undefined && line.limit.calls === undefined
    ? { ...line, limit: { ...line.limit, calls: freeCalls } }
    : line;
};

const linesFor = async (crib: CribHost, period: UsagePeriod): Promise<readonly UsageLine[]> => {
  const lines = await crib.usage.summary({ period: period.name });
  return lines.map((line) => withFreeLimit(crib, line));
};

const printLines = (io: Io, lines: readonly UsageLine[]): void => {
  const { ink } = io;
  const head = ['', '', 'spent', 'calls', 'tokens'].map(
    (text, at): Cell => ({ text, paint: ink.dim, ...(at > 2 && { align: 'right' }) }),
  );
  const kinds = [...new Set(lines.map(({ kind }) => kind))];
  const rows = kinds.flatMap((kind) => [
    [{ text: usageTitle(kind), paint: ink.cyan }],
    ...lines.filter((line) => line.kind === kind).map((line) => usageRow(line, ink)),
  ]);
  print(io, ...table([head, ...rows]));
};

const printNothing = (io: Io, period: UsagePeriod, calls: readonly ToolCalls[]): void => {
  const total = calls.reduce((sum, one) => sum + one.calls, 0);
  const when = period.name === 'all' ? 'so far' : `in ${period.name}`;
  if (total === 0) {
    print(io, `Nothing was spent ${when}, and no call was made.`);
    return;
  }
  print(io, `Nothing was spent ${when}; ${counted(total, 'call')} on record.`);
  const rows = calls.map(({ tool, calls: count }) => [
    { text: `  ${tool}`, paint: io.ink.bold },
    { text: formatCount(count), align: 'right' as const },
  ]);
  print(io, ...table(rows));
};

const usage = (io: Io, options: UsageOptions): Promise<number> => {
  const period = usagePeriod(options.period, io.runtime.now());
  return withStore(io, async ({ crib }) => {
    const lines = await linesFor(crib, period);
    const isEmpty = lines.every(
      ({ usd, heldUsd, calls, tokens }) => !(usd || heldUsd || calls || tokens),
    );
    const calls = isEmpty || io.json ? await callsByTool(crib.metrics, period.range) : [];
    if (io.json) printJson(io, { period: period.name, lines, calls });
    else if (isEmpty) printNothing(io, period, calls);
    else {
      print(io, io.ink.bold(`Usage ${period.name === 'all' ? 'so far' : period.name} (UTC)`));
      printLines(io, period.isLong ? summed(lines) : lines);
      if (period.isLong) hint(io, 'Sums of several days: daily limits do not apply.');
    }
    return 0;
  });
};

export const usageCommand = (program: Command, io: Io): Command => {
  const command = withExamples(
    withJson(program.command('usage'))
      .option('--period <period>', 'a day 2026-11-15, a month 2026-11, or all; by default today')
      .action(leaving(io, (options: UsageOptions) => usage(io, options))),
    'toolcrib usage',
    'toolcrib usage --period 2026-11 --json',
    'toolcrib usage report --month 2026-11 --format html --out november.html',
  );
  usageReportCommand(command, io);
  return command;
};
