/** Reports the ledger: who spent what, and how much is left. */
import type { UsageLine } from '../../contract/crib-members.ts';
import type { BudgetLine, Ledger } from '../../contract/store.ts';
import { MICROS_PER_USD } from '../../contract/tool-cost.ts';
import {
  ALL_TIME,
  BUDGET_KINDS,
  type BudgetKind,
  type BudgetLimits,
  dayOf,
  limitsFor,
} from './budget.ts';

const isKind = (kind: string): kind is BudgetKind =>
  (BUDGET_KINDS as readonly string[]).includes(kind);

/** Reads a line of the ledger; `undefined` for one that is no budget of ours. */
export const usageLine = (line: BudgetLine, limits: BudgetLimits): UsageLine | undefined => {
  const [kind, period] = line.key.split(':', 2);
  if (kind === undefined || period === undefined || !isKind(kind)) return undefined;
  const name = line.key.slice(kind.length + period.length + 2);
  return {
    kind,
    name,
    period,
    usd: line.spentMicros / MICROS_PER_USD,
    heldUsd: line.heldMicros / MICROS_PER_USD,
    calls: line.calls,
    tokens: line.tokens,
    limit: limitsFor(limits, kind, name),
  };
};

/** Kinds whose lines belong to one day. */
const DAILY: readonly BudgetKind[] = ['user', 'tool', 'agent'];

/**
 * Lists the periods that lines of a kind may have. Sessions that a caller names itself go by the day.
 * Lines without a period belong to the present one: when they were spent is not known.
 */
const prefixesOf = (kind: BudgetKind, period: string, today: string): readonly string[] => {
  if (DAILY.includes(kind)) return [period];
  if (kind === 'free') return [period.slice(0, 7)];
  const lasting = today.startsWith(period) ? [ALL_TIME] : [];
  if (kind !== 'session') return lasting;
  return period === '' ? [''] : [...lasting, period];
};

export interface UsageQuestion {
  readonly now: number;
  /** A day `2026-11-15`, a month `2026-11`, or `all`; today when absent. */
  readonly period?: string | undefined;
}

/** Lists what was used in a period, the largest first within each kind. */
export const usageSummary = async (
  ledger: Pick<Ledger, 'lines'>,
  limits: BudgetLimits,
  { now, period = dayOf(now) }: UsageQuestion,
): Promise<readonly UsageLine[]> => {
  const periodKey = period === ALL_TIME ? '' : period;
  const summary: UsageLine[] = [];
  for (const kind of BUDGET_KINDS) {
    const prefixes = prefixesOf(kind, periodKey, dayOf(now));
    const lines = await Promise.all(prefixes.map((prefix) => ledger.lines(`${kind}:${prefix}`)));
    const readable = lines
      .flat()
      .map((line) => usageLine(line, limits))
      .filter((line) => line !== undefined);
    summary.push(...readable.sort((a, b) => b.usd - a.usd || b.calls - a.calls));
  }
  return summary;
};
