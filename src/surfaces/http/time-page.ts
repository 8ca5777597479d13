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

/**
 * Reads one page. Items of one moment are told apart by their ids, so that none is lost between two
 * pages.
 */
export const timePage = async <T extends Dated>(
  read: (options: ReadOptions) => Promise<readonly T[]>,
  { cursor, limit }: PageQuery,
): Promise<Page<T>> => {
  const key = cursor === undefined ? undefined : fromCursor(cursor);
  const before = key === undefined ? {} : { before: Number.parseInt(key, 10) + 1 };
  for (let readLimit = limit + 1; ; readLimit *= 2) {
    const all = await read({ ...before, limit: readLimit });
    const rest =
      key === undefined ? all : all.filter(({ createdAt, id }) => timeKey(createdAt, id) < key);
    if (rest.length <= limit && all.length === readLimit) continue;
    const items = rest.slice(0, limit);
    const last = items.at(-1);
    const hasMore = rest.length > limit && last !== undefined;
    return { items, ...(hasMore && { next: toCursor(timeKey(last.createdAt, last.id)) }) };
  }
};
