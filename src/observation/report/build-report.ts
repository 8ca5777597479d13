/** Sums up a month from the roll-ups and the ledger, without reading the audit trail. */
import type { UsageLine } from '../../contract/crib-members.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { CallFigures, CribMetrics, MetricLine } from '../../contract/metrics.ts';
import type { UsageReport, UsageReportLine } from '../../contract/usage-report.ts';

/** The most lines of a report, because it is one page in memory. */
const MAX_LINES = 5000;

export interface BuildReportDeps {
  readonly metrics: Pick<CribMetrics, 'summary' | 'history' | 'by'>;
  /** Lists the lines of the ledger of a month. */
  booked(month: string): Promise<readonly UsageLine[]>;
  now(): number;
}

interface Month {
  readonly from: number;
  readonly to: number;
}

const monthOf = (month: string): Month => {
  const [, year = '', number = ''] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(month) ?? [];
  if (year !== '') {
    const at = (more: number): number => Date.UTC(Number(year), Number(number) - 1 + more);
    return { from: at(0), to: at(1) };
  }
  throw new ToolFailure('VALIDATION_ERROR', 'A month is written as a year and a number.', {
    suggestions: ['Such as 2026-11.'],
  });
};

const lineOf = (name: string, figures: CallFigures): UsageReportLine => {
  const { calls, byStatus, tokens, costUsd } = figures;
  const { success = 0, failure = 0, timeout = 0, unknown = 0, denied = 0 } = byStatus;
  const errors = failure + timeout + unknown;
  return { name, calls, succeeded: success, errors, denied, tokens, costUsd };
};

const plainLines = (lines: readonly MetricLine[]): readonly UsageReportLine[] =>
  lines.map((line) => lineOf(line.name, line));

/** Adds the booked amounts and the limits in force, which are those of a day. */
const withLedger = (
  lines: readonly MetricLine[],
  ledger: readonly UsageLine[],
): readonly UsageReportLine[] => {
  const booked = new Map<string, { usd: number; limit: UsageLine['limit'] }>();
  for (const { name, usd, limit } of ledger) {
    booked.set(name, { usd: (booked.get(name)?.usd ?? 0) + usd, limit });
  }
  return lines.map((line) => {
    const own = booked.get(line.name);
    return {
      ...lineOf(line.name, line),
      ...(own && { bookedUsd: own.usd, limit: own.limit }),
    };
  });
};

/** Fails with VALIDATION_ERROR for a month that is none. */
export const buildReport = async (
  month: string,
  { metrics, booked, now }: BuildReportDeps,
): Promise<UsageReport> => {
  const range = monthOf(month);
  const ledger = await booked(month);
  const ofKind = (kind: string) => ledger.filter((line) => line.kind === kind);
  const lists = { ...range, limit: MAX_LINES };
  const { points, total } = await metrics.history({ ...range, step: 'day' });
  const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
  return {
    month,
    timeZone: 'UTC',
    madeAt: now(),
    isComplete: now() >= range.to,
    total: lineOf('total', total),
    days: points.map((point) => lineOf(dayOf(point.start), point)),
    users: withLedger(await metrics.by('caller', lists), ofKind('user')),
    tools: withLedger(await metrics.by('tool', lists), ofKind('tool')),
    sources: plainLines(await metrics.by('source', lists)),
    maxLines: MAX_LINES,
  };
};
