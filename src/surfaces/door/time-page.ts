/** Cuts pages out of lists that a store pages by moments, newest first. */
import {
  fromCursor,
  MAX_PAGE_CHARS,
  type Page,
  type PageQuery,
  timeKey,
  toCursor,
} from './page-of.ts';

interface Dated {
  readonly id: string;
  readonly createdAt: number;
}

/** So many items are read before it is known how large they are. */
const FIRST_ITEMS = 20;

interface ReadOptions {
  /** Only what was made before this moment. */
  readonly before?: number;
  readonly limit: number;
}

type Read<T> = (options: ReadOptions) => Promise<readonly T[]>;

/** Puts the newest first, and those of one moment in the order of their ids. */
const byKey = (one: Dated, other: Dated): number =>
  timeKey(one.createdAt, one.id) < timeKey(other.createdAt, other.id) ? 1 : -1;

const cursorAfter = ({ createdAt, id }: Dated): string => toCursor(timeKey(createdAt, id));

/**
 * Reads so many items after a cursor, however large they are. A store lists items of one moment in an order of
 * its own; here they are told apart by their ids, so a part ends only within moments that were read as a whole.
 */
export const readPart = async <T extends Dated>(
  read: Read<T>,
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
    return { items, ...(hasMore && { next: cursorAfter(last) }) };
  }
};

/**
 * Reads one page, which has fewer items than asked for where they are large: whoever fills a list with them
 * would fill the memory of the server with each page.
 */
export const timePage = async <T extends Dated>(
  read: Read<T>,
  { cursor, limit }: PageQuery,
): Promise<Page<T>> => {
  const items: T[] = [];
  let chars = 0;
  let next = cursor;
  do {
    const left = limit - items.length;
    const fitting = Math.floor(((MAX_PAGE_CHARS - chars) * items.length) / chars);
    const size = items.length === 0 ? FIRST_ITEMS : Math.max(1, fitting);
    const part = await readPart(read, { cursor: next, limit: Math.min(left, size) });
    for (const item of part.items) {
      chars += JSON.stringify(item).length;
      const last = items.at(-1);
      if (chars > MAX_PAGE_CHARS && last) return { items, next: cursorAfter(last) };
      items.push(item);
    }
    next = part.next;
  } while (next !== undefined && items.length < limit && chars < MAX_PAGE_CHARS);
  return { items, ...(next !== undefined && { next }) };
};
