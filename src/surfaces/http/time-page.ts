/** Cuts pages out of lists that a store pages by moments, newest first. */
import { fromCursor, type Page, type PageQuery, timeKey, toCursor } from '../door/page-of.ts';

interface Dated {
  readonly id: string;
  readonly createdAt: number;
}

interface ReadOptions {
  /** Only what was made before this moment. */
  readonly before?: number;
  readonly limit: number;
}

/** Puts the newest first, and those of one moment in the order of their ids. */
const byKey = (one: Dated, other: Dated): number =>
  timeKey(one.createdAt, one.id) < timeKey(other.createdAt, other.id) ? 1 : -1;

/**
 * Reads one page. A store lists items of one moment in an order of its own; here they are told apart by
 * their ids, so a page ends only within moments that were read as a whole.
 */
export const timePage = async <T extends Dated>(
  read: (options: ReadOptions) => Promise<readonly T[]>,
  { cursor, limit }: PageQuery,
): Promise<Page<T>> => {
  const key = cursor === undefined ? undefined : fromCursor(cursor);
  const before = key === undefined ? {} : { before: Number.parseInt(key, 10) + 1 };
  // One more tells that there is another page; with a cursor the last item is read again.
  for (let readLimit = limit + (key === undefined ? 1 : 2); ; readLimit *= 2) {
    const all = await read({ ...before, limit: readLimit });
    const rest = all
      .filter(({ createdAt, id }) => key === undefined || timeKey(createdAt, id) < key)
      .sort(byKey);
    const items = rest.slice(0, limit);
    const last = items.at(-1);
    const oldest = all.at(-1)?.createdAt ?? Number.NEGATIVE_INFINITY;
    const hasMore = rest.length > limit && last !== undefined;
    const isWhole = all.length < readLimit || (hasMore && last.createdAt > oldest);
    if (!isWhole) continue;
    return { items, ...(hasMore && { next: toCursor(timeKey(last.createdAt, last.id)) }) };
  }
};
