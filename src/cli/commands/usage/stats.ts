/** `toolcrib stats`: the figures of calls in a range of time, in total and by tool, source or caller. */
import type { Command } from 'commander';
import type { Crib } from '../../../contract/crib.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type {
  CallFigures,
  MetricHistory,
  MetricLine,
  MetricRange,
} from '../../../contract/metrics.ts';
import { DAY_MS } from '../../../kit/data/durations.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { readMoment } from '../../input/moment.ts';
import { type Io, print, printJson } from '../../io.ts';
import {
  counted,
  formatBytes,
  formatCost,
  formatCount,
  formatDuration,
  formatShare,
  formatSpan,
  formatTime,
  formatTimed,
  sparkline,
} from '../../output/format-units.ts';
import { type Cell, table } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';

interface StatsOptions {
  readonly since?: string;
  readonly until?: string;
  readonly by?: string;
  readonly limit?: string;
}

const KINDS = ['tool', 'source', 'caller'] as const;
type Kind = (typeof KINDS)[number];

const DEFAULT_SINCE = '24h';
const DEFAULT_LINES = 20;
/** As many as fit a terminal of 80 columns beside the name of the row. */
const MAX_BARS = 48;

const kindOf = (text: string): Kind => {
  const kind = KINDS.find((name) => name === text);
  if (kind) return kind;
  throw new ToolFailure('VALIDATION_ERROR', '--by takes tool, source or caller.');
};

const limitOf = (text: string): number => {
  const limit = Number(text);
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= 1000) return limit;
  throw new ToolFailure('VALIDATION_ERROR', '--limit takes a whole number from 1 to 1000.');
};

const rangeOf = ({ since = DEFAULT_SINCE, until }: StatsOptions, now: number): MetricRange => ({
  from: readMoment('--since', since, now),
  ...(until !== undefined && { to: readMoment('--until', until, now) }),
});

/** Sums up a range in at most `MAX_BARS` values, in order, 0 where there were no calls. */
const barsOf = (
  { from, to, stepMs, points }: MetricHistory,
  of: (figures: CallFigures) => number,
): readonly number[] => {
  const first = Math.floor(from / stepMs);
  const steps = Math.max(1, Math.ceil(to / stepMs) - first);
  const perBar = Math.ceil(steps / MAX_BARS);
  const bars = new Array<number>(Math.ceil(steps / perBar)).fill(0);
  for (const point of points) {
    const bar = Math.floor((point.start / stepMs - first) / perBar);
    bars[bar] = Math.max(bars[bar] ?? 0, of(point));
  }
  return bars;
};

const headline = (total: CallFigures): string =>
  [
    counted(total.calls, 'call'),
    `${formatShare(total.errorRate)} failed`,
    `median ${formatTimed(total.medianExecutionTime)}`,
    `p95 ${formatTimed(total.p95ExecutionTime)}`,
    formatCost(total.costUsd),
  ].join(' · ');

const isMeasured = ({ resourceUtilization: { cpuMs, peakMemoryBytes } }: CallFigures): boolean =>
  cpuMs > 0 || peakMemoryBytes > 0;

const printResources = (io: Io, total: CallFigures): void => {
  if (!isMeasured(total)) return;
  const { cpuMs, peakMemoryBytes } = total.resourceUtilization;
  const text = `${formatDuration(cpuMs)} of processor, at most ${formatBytes(peakMemoryBytes)} at once`;
  print(io, `${io.ink.dim('sandboxed runs')}  ${text}`);
};

/** What is drawn over time, and how the label of the highest bar is written. */
const COURSES: readonly {
  readonly label: string;
  readonly of: (figures: CallFigures) => number;
  readonly format: (value: number) => string;
}[] = [
  { label: 'calls', of: ({ calls }) => calls, format: formatCount },
  { label: 'failed', of: ({ errorRate }) => errorRate, format: formatShare },
  { label: 'p95', of: ({ p95ExecutionTime }) => p95ExecutionTime, format: formatDuration },
  { label: 'cost', of: ({ costUsd }) => costUsd, format: formatCost },
];

const printCourses = (io: Io, history: MetricHistory): void => {
  for (const { label, of, format } of COURSES) {
    const bars = barsOf(history, of);
    const max = Math.max(...bars);
    if (max === 0) continue;
    const line = `${io.ink.dim(label.padEnd(7))}${io.ink.cyan(sparkline(bars))}`;
    print(io, `  ${line} ${io.ink.dim(`at most ${format(max)}`)}`);
  }
};

const right = (text: string): Cell => ({ text, align: 'right' });

/** Formats resource use; empty for tools that ran in no sandbox, or in one that does not measure it. */
const resourceCells = (line: MetricLine): readonly Cell[] => {
  const { cpuMs, peakMemoryBytes } = line.resourceUtilization;
  return isMeasured(line)
    ? [right(formatDuration(cpuMs)), right(formatBytes(peakMemoryBytes))]
    : [right('–'), right('–')];
};

const lineRow = (io: Io, line: MetricLine): readonly Cell[] => [
  { text: `  ${visibleText(line.name) || '(none)'}`, paint: io.ink.bold },
  right(formatCount(line.calls)),
  right(formatShare(line.errorRate)),
  right(formatTimed(line.medianExecutionTime)),
  right(formatTimed(line.p95ExecutionTime)),
  right(formatTimed(line.p99ExecutionTime)),
  right(formatCost(line.costUsd)),
];

const printLines = (io: Io, kind: Kind, lines: readonly MetricLine[]): void => {
  const measured = lines.some(isMeasured);
  const names = [`by ${kind}`, 'calls', 'failed', 'median', 'p95', 'p99', 'cost'];
  const head = [...names, ...(measured ? ['cpu', 'memory'] : [])].map(
    (text, at): Cell => ({ text, paint: io.ink.dim, ...(at > 0 && { align: 'right' }) }),
  );
  const rows = lines.map((line) => [
    ...lineRow(io, line),
    ...(measured ? resourceCells(line) : []),
  ]);
  print(io, '', ...table([head, ...rows]));
};

const printCodes = (io: Io, { byCode }: CallFigures): void => {
  const codes = Object.entries(byCode).sort(([, one], [, other]) => other - one);
  if (codes.length === 0) return;
  const text = codes.map(([code, calls]) => `${code} ${formatCount(calls)}`).join(' · ');
  print(io, '', `${io.ink.dim('errors')}  ${text}`);
};

const printStats = (
  io: Io,
  history: MetricHistory,
  { kind, lines }: { readonly kind: Kind; readonly lines: readonly MetricLine[] },
): void => {
  const { from, to, total } = history;
  const span = `${formatTime(from)} to ${formatTime(to)} (${formatSpan(to - from)})`;
  print(io, io.ink.bold(`Calls, ${span}`));
  if (total.calls === 0) {
    const hint = to - from < 30 * DAY_MS ? ' Look further back: toolcrib stats --since 30d' : '';
    print(io, `No call ended in this time.${hint}`);
    return;
  }
  print(io, headline(total));
  printResources(io, total);
  printCourses(io, history);
  if (lines.length > 0) printLines(io, kind, lines);
  printCodes(io, total);
};

const stats = (io: Io, tool: string | undefined, options: StatsOptions): Promise<number> => {
  const kind = kindOf(options.by ?? 'tool');
  const limit = options.limit === undefined ? DEFAULT_LINES : limitOf(options.limit);
  const range = rangeOf(options, io.runtime.now());
  const read = async ({ metrics }: Pick<Crib, 'metrics'>) => {
    const history = await metrics.history({ ...range, ...(tool !== undefined && { tool }) });
    // Figures are stored by one name each: those of a tool cannot be split by caller.
    const lines = tool === undefined ? await metrics.by(kind, { ...range, limit }) : [];
    return { history, lines };
  };
  return withStore(io, async ({ crib }) => {
    const { history, lines } = await read(crib);
    if (io.json) printJson(io, { ...history, ...(tool === undefined && { [kind]: lines }) });
    else printStats(io, history, { kind, lines });
    return 0;
  });
};

export const statsCommand = (program: Command, io: Io): Command =>
  withExamples(
    withJson(program.command('stats'))
      .argument('[tool]', 'only calls of this tool')
      .option('--since <when>', 'from then on: a date, or 90m, 2h, 7d ago; by default 24h')
      .option('--until <when>', 'up to then; by default now')
      .option('--by <kind>', 'compare by tool, source or caller; by default tool')
      .option('--limit <n>', `how many of them; by default ${DEFAULT_LINES}`)
      .action(
        leaving(io, (tool: string | undefined, options: StatsOptions) => stats(io, tool, options)),
      ),
    'toolcrib stats',
    'toolcrib stats --since 30d --by caller',
    'toolcrib stats web_search --since 2h --json',
  );
