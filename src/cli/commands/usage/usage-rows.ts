/** Formats the lines of the usage summary for people: one for each spender, with its bar. */
import type { Colors } from 'picocolors/types.js';
import type { UsageLine } from '../../../contract/crib-members.ts';
import { bar, formatCost, formatCount } from '../../output/format-units.ts';
import type { Cell } from '../../output/table.ts';

const BAR_WIDTH = 20;
/** From this share of a limit on, the bar warns. */
const WARN_SHARE = 0.8;

const TITLES: Readonly<Record<string, string>> = {
  user: 'users, a day',
  tool: 'tools, a day',
  agent: 'agents, a day',
  session: 'sessions',
  flow: 'flows',
  free: 'free calls, a month',
};

export const usageTitle = (kind: string): string => TITLES[kind] ?? kind;

/** Sums up several days. The sums have no limit, because limits are for a day. */
export const summed = (lines: readonly UsageLine[]): readonly UsageLine[] => {
  const sums = new Map<string, UsageLine>();
  for (const line of lines) {
    const key = `${line.kind}:${line.name}`;
    const sum = sums.get(key);
    sums.set(
      key,
      sum
        ? {
            ...sum,
            period: '',
            usd: sum.usd + line.usd,
            heldUsd: sum.heldUsd + line.heldUsd,
            calls: sum.calls + line.calls,
            tokens: sum.tokens + line.tokens,
            limit: {},
          }
        : line,
    );
  }
  return [...sums.values()];
};

/** Returns the largest used share of a limit; `undefined` without a limit. */
export const shareOf = ({ usd, heldUsd, calls, tokens, limit }: UsageLine): number | undefined => {
  const pairs = [
    [usd + heldUsd, limit.usd],
    [calls, limit.calls],
    [tokens, limit.tokens],
  ] as const;
  const shares = pairs.flatMap(([used, most]) =>
    most === undefined ? [] : [most > 0 ? used / most : used > 0 ? 1 : 0],
  );
  return shares.length === 0 ? undefined : Math.max(...shares);
};

const against = (used: string, limit: string | undefined): string =>
  limit === undefined ? used : `${used} of ${limit}`;

const barCell = (share: number | undefined, ink: Colors): Cell => {
  if (share === undefined) return { text: 'no limit', paint: ink.dim };
  const paint = share >= 1 ? ink.red : share >= WARN_SHARE ? ink.yellow : ink.green;
  return { text: `${bar(share, 1, BAR_WIDTH)} ${Math.floor(share * 100)} %`, paint };
};

export const usageRow = (line: UsageLine, ink: Colors): readonly (string | Cell)[] => {
  const { limit } = line;
  const dollars = limit.usd === undefined ? undefined : `$${limit.usd}`;
  const held = line.heldUsd > 0 ? ` + ${formatCost(line.heldUsd)} held` : '';
  const most = (count: number | undefined): string | undefined =>
    count === undefined ? undefined : formatCount(count);
  return [
    { text: `  ${line.name}`, paint: ink.bold },
    barCell(shareOf(line), ink),
    against(`$${Number(line.usd.toFixed(6))}${held}`, dollars),
    { text: against(formatCount(line.calls), most(limit.calls)), align: 'right' },
    { text: against(formatCount(line.tokens), most(limit.tokens)), align: 'right' },
  ];
};
