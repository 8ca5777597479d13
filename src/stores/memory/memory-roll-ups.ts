/** Counts of calls in memory, by kind, grain, start and name. */
import type { RollUp, RollUpQuery, RollUps } from '../../contract/metrics.ts';
import { addCounts } from '../../kit/metrics/add-counts.ts';

const keyOf = ({ kind, grain, start, name }: RollUp): string => `${kind} ${grain} ${start} ${name}`;

const isAsked = (query: RollUpQuery, { kind, grain, start, name }: RollUp): boolean =>
  kind === query.kind &&
  grain === query.grain &&
  start >= query.from &&
  start < query.to &&
  (query.name === undefined || name === query.name);

export const memoryRollUps = (): RollUps => {
  const sums = new Map<string, RollUp>();
  let counted = 0;
  return {
    counted: async () => counted,
    async add({ after, last, rollUps }) {
      if (after !== counted) return false;
      counted = last;
      for (const rollUp of rollUps) {
        const key = keyOf(rollUp);
        const before = sums.get(key);
        const counts = before ? addCounts(before.counts, rollUp.counts) : rollUp.counts;
        sums.set(key, { ...rollUp, counts });
      }
      return true;
    },
    read: async (query) =>
      [...sums.values()]
        .filter((rollUp) => isAsked(query, rollUp))
        .sort((one, other) => one.start - other.start),
    async expire(grain, before) {
      const old = [...sums].filter(([, one]) => one.grain === grain && one.start < before);
      for (const [key] of old) sums.delete(key);
      return old.length;
    },
  };
};
