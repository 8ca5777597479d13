/** Budgets as bars: what is used and held of each limit, the fullest first. */
import { count, money } from '../../components/format.ts';
import type { UsageLine } from './usage-records.ts';

export type Fullness = 'fine' | 'near' | 'full';

export interface BudgetBar {
  readonly key: string;
  /** `user alice`. */
  readonly kind: string;
  readonly name: string;
  /** `2026-11-15`, `2026-11` or `all time`. */
  readonly period: string;
  /** `$1.20 of $10.00`. */
  readonly text: string;
  /** 0 to 1, of what is spent. */
  readonly used: number;
  /** 0 to 1, of what running calls hold on top. */
  readonly held: number;
  readonly fullness: Fullness;
}

/** From here on a budget is worth a look. */
const NEAR = 0.8;

const UNITS = [
  { unit: 'usd', spent: (line: UsageLine) => line.usd, show: money, noun: '' },
  { unit: 'calls', spent: (line: UsageLine) => line.calls, show: count, noun: ' calls' },
  { unit: 'tokens', spent: (line: UsageLine) => line.tokens, show: count, noun: ' tokens' },
] as const;

/** Computes the used share. A limit of zero is used up from the start. */
const shareOf = (amount: number, limit: number): number => (limit > 0 ? amount / limit : 1);

const fullnessOf = (share: number): Fullness => {
  if (share >= 1) return 'full';
  return share >= NEAR ? 'near' : 'fine';
};

const barsOf = (line: UsageLine): readonly BudgetBar[] =>
  UNITS.flatMap(({ unit, spent, show, noun }) => {
    const limit = line.limit[unit];
    if (limit === undefined) return [];
    const spentSoFar = spent(line);
    const used = shareOf(spentSoFar, limit);
    const held = unit === 'usd' ? line.heldUsd : 0;
    return [
      {
        key: `${line.kind} ${line.period} ${line.name} ${unit}`,
        kind: line.kind,
        name: line.name,
        period: line.period === 'all' ? 'all time' : line.period,
        text: `${show(spentSoFar)} of ${show(limit)}${noun}`,
        used: Math.min(used, 1),
        held: limit > 0 ? Math.min(held / limit, Math.max(1 - used, 0)) : 0,
        fullness: fullnessOf(shareOf(spentSoFar + held, limit)),
      },
    ];
  });

export const budgetBars = (lines: readonly UsageLine[]): readonly BudgetBar[] =>
  lines.flatMap(barsOf).sort((a, b) => b.used + b.held - (a.used + a.held));
