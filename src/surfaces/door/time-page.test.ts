import { describe, expect, it } from 'vitest';
import { timePage } from './time-page.ts';

interface Item {
  readonly id: string;
  readonly createdAt: number;
}

/** A store that lists the newest moments first, and those of one moment in any order of its own. */
const storeOf = (stored: readonly Item[]) => {
  const limits: number[] = [];
  const read = async ({
    before = Number.POSITIVE_INFINITY,
    limit,
  }: {
    before?: number;
    limit: number;
  }) => {
    limits.push(limit);
    const fitting = stored.filter(({ createdAt }) => createdAt < before);
    return fitting.sort((one, other) => other.createdAt - one.createdAt).slice(0, limit);
  };
  return { read, limits };
};

const allPages = async (stored: readonly Item[], limit: number): Promise<readonly string[]> => {
  const { read } = storeOf(stored);
  const ids: string[] = [];
  for (let cursor: string | undefined, pages = 0; pages === 0 || cursor !== undefined; pages += 1) {
    const page = await timePage(read, { limit, cursor });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.next;
    if (pages > 100) throw new Error('The pages never end.');
  }
  return ids;
};

/** Ids such as those of jobs with a key: their order has nothing to do with that in which they were added. */
const keyed = (count: number, createdAt: number): Item[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `key-${(n * 7919) % 1000}-${createdAt}`,
    createdAt,
  }));

describe('pages of a list that a store orders by moments', () => {
  it.each([1, 2, 7, 50])(
    'show each of many items of one moment once, %i on a page',
    async (limit) => {
      const stored = [...keyed(1, 9), ...keyed(30, 8), ...keyed(1, 7), ...keyed(12, 6)];
      const ids = await allPages(stored, limit);
      expect([...ids].sort()).toEqual(stored.map(({ id }) => id).sort());
    },
  );

  it('show newer moments first', async () => {
    const ids = await allPages([...keyed(3, 5), ...keyed(3, 6)], 2);
    expect(ids.map((id) => id.slice(-1))).toEqual(['6', '6', '6', '5', '5', '5']);
  });

  it('are read at once where items have moments of their own', async () => {
    const { read, limits } = storeOf(
      Array.from({ length: 90 }, (_, n) => ({ id: `${n}`, createdAt: n })),
    );
    const first = await timePage(read, { limit: 20 });
    await timePage(read, { limit: 20, cursor: first.next });
    expect(limits).toEqual([21, 22]);
  });
});
