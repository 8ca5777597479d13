import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import type { UsageLine } from '../../../contract/crib-members.ts';
import { table } from '../../output/table.ts';
import { shareOf, summed, usageRow, usageTitle } from './usage-rows.ts';

const line = (over: Partial<UsageLine> = {}): UsageLine => ({
  kind: 'user',
  name: 'ada',
  period: '2026-11-15',
  usd: 2.5,
  heldUsd: 0,
  calls: 3,
  tokens: 1200,
  limit: { usd: 10 },
  ...over,
});

const shown = (over?: Partial<UsageLine>) =>
  table([usageRow(line(over), pc.createColors(false))])[0] ?? '';

describe('usage rows', () => {
  it('shows what was spent against the limit, and how close it is', () => {
    expect(shown()).toMatch(/^ {2}ada {2}█{5}░{15} 25 % {2}\$2.5 of \$10 +3 +1,200$/);
  });

  it('counts holds, and the closest of several limits', () => {
    expect(shareOf(line({ heldUsd: 2.5 }))).toBe(0.5);
    expect(shareOf(line({ limit: { usd: 10, calls: 4, tokens: 100_000 } }))).toBe(0.75);
    expect(shareOf(line({ limit: { calls: 0 } }))).toBe(1);
    expect(shareOf(line({ calls: 0, limit: { calls: 0 } }))).toBe(0);
    expect(shown({ heldUsd: 1 })).toContain('$2.5 + $1 held of $10');
    expect(shown({ limit: { calls: 4, tokens: 2000 } })).toMatch(/3 of 4 {2}1,200 of 2,000$/);
  });

  it('a line without a limit says so instead of drawing a bar', () => {
    expect(shareOf(line({ limit: {} }))).toBeUndefined();
    expect(shown({ limit: {} })).toContain('no limit');
  });

  it('colours by how close the limit is', () => {
    const paintOf = (usd: number) => {
      const [, cell] = usageRow(line({ usd }), pc.createColors(true));
      return typeof cell === 'object' ? cell.paint?.('x') : '';
    };
    expect(paintOf(1)).toBe(pc.createColors(true).green('x'));
    expect(paintOf(9)).toBe(pc.createColors(true).yellow('x'));
    expect(paintOf(10)).toBe(pc.createColors(true).red('x'));
  });

  it('sums days by spender, without daily limits', () => {
    const days = [line(), line({ period: '2026-11-16', usd: 1 }), line({ name: 'bob' })];
    const sums = summed(days);
    expect(sums.map(({ name, usd, calls }) => [name, usd, calls])).toEqual([
      ['ada', 3.5, 6],
      ['bob', 2.5, 3],
    ]);
    expect(sums[0]?.limit).toEqual({});
  });

  it('has a title for every kind, and for an unknown one', () => {
    expect(usageTitle('user')).toBe('users, a day');
    expect(usageTitle('else')).toBe('else');
  });
});
