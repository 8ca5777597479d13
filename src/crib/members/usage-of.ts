/** `crib.usage`: what was spent, against which limits. */
import type { CribUsage, UsageLine } from '../../contract/crib-members.ts';
import type { CribMetrics } from '../../contract/metrics.ts';
import { REPORT_FORMATS, type UsageReport } from '../../contract/usage-report.ts';
import { fields, oneOf, optional, text } from '../../kit/data/check-arguments.ts';
import type { MethodChecks } from './checked.ts';
import type { MemberDeps } from './member-deps.ts';

export interface UsageDeps extends MemberDeps {
  readonly metrics: CribMetrics;
}

export const USAGE_CHECKS: MethodChecks<CribUsage> = {
  summary: { filter: optional(fields({ period: optional(text) })) },
  report: { month: text },
  reportFile: { month: text, format: oneOf(...REPORT_FORMATS) },
};

const summaryOf = async (
  deps: MemberDeps,
  period: string | undefined,
): Promise<readonly UsageLine[]> => {
  const { ledger } = (await deps.open()).store;
  await deps.engine()?.shared.budgeting.freeCalls.write();
  const { usageSummary } = await import('../../governance/ledger/usage-lines.ts');
  return usageSummary(ledger, deps.limits, { now: deps.runtime.now(), period });
};

const reportOf = async (deps: UsageDeps, month: string): Promise<UsageReport> => {
  const { buildReport } = await import('../../observation/report/build-report.ts');
  const { metrics, runtime } = deps;
  return buildReport(month, {
    metrics,
    booked: (period) => summaryOf(deps, period),
    now: runtime.now,
  });
};

export const usageOf = (deps: UsageDeps): CribUsage => ({
  summary: ({ period } = {}) => summaryOf(deps, period),
  report: (month) => reportOf(deps, month),
  reportFile: async (month, format) => {
    const { reportFile } = await import('../../observation/report/report-file.ts');
    return reportFile(await reportOf(deps, month), format);
  },
});
