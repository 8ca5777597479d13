/** The stretch of time that `--period` names. */
import { ToolFailure } from '../../../contract/errors.ts';

export interface UsagePeriod {
  readonly name: string;
  /** Several days: what was spent is a sum. */
  readonly isLong: boolean;
  /** Milliseconds since the epoch; absent for all time. */
  readonly stretch: { readonly from?: number; readonly to?: number };
}

const misuse = (): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', '--period takes a day, a month, or all.', {
    suggestions: ['Such as 2026-11-15, 2026-11, or all; today when it is left out.'],
  });

const daysOf = (name: string): { readonly from: number; readonly to: number } => {
  const [, year = '', month = '', day] = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/.exec(name) ?? [];
  const at = (more: { month?: number; day?: number }): number =>
    Date.UTC(
      Number(year),
      Number(month) - 1 + (more.month ?? 0),
      Number(day ?? 1) + (more.day ?? 0),
    );
  const from = at({});
  if (year === '' || new Date(from).toISOString().slice(0, name.length) !== name) throw misuse();
  return { from, to: day === undefined ? at({ month: 1 }) : at({ day: 1 }) };
};

/** Today, in UTC, when nothing is given. Fails with VALIDATION_ERROR. */
export const usagePeriod = (given: string | undefined, now: number): UsagePeriod => {
  if (given === 'all') return { name: given, isLong: true, stretch: {} };
  const name = given ?? new Date(now).toISOString().slice(0, 10);
  return { name, isLong: name.length < 10, stretch: daysOf(name) };
};
