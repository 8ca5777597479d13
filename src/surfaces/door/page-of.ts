/**
 * Lists in pages. A cursor holds the key of the last item of a page, so that new items do not shift
 * the next one.
 */
import { ToolFailure } from '../../contract/errors.ts';

export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

export interface PageQuery {
  readonly cursor?: string | undefined;
  readonly limit: number;
}

export interface PageSort<T> {
  keyOf(item: T): string;
  readonly newestFirst?: boolean;
}

/** A page of large items ends after so many characters of JSON, with at least one item. */
export const MAX_PAGE_CHARS = 4_000_000;

/** Tells cursors of this server from other base64. */
const PREFIX = 'after:';

/** Makes the cursor of a page that ends with this key. */
export const toCursor = (key: string): string =>
  Buffer.from(`${PREFIX}${key}`).toString('base64url');

/** Reads a cursor. Fails with VALIDATION_ERROR for one that this server did not make. */
export const fromCursor = (cursor: string): string => {
  const key = Buffer.from(cursor, 'base64url').toString().slice(PREFIX.length);
  // A text that this server did not encode reads back differently.
  if (key !== '' && toCursor(key) === cursor) return key;
  throw new ToolFailure('VALIDATION_ERROR', 'The cursor is not from a page of this server.', {
    issues: [{ path: ['cursor'], message: 'Take it from the `next` of the page before.' }],
  });
};

/** Makes a key whose order as text is the order in time; the name tells items of one moment apart. */
export const timeKey = (at: number, name: string): string =>
  `${String(Math.round(at)).padStart(16, '0')} ${name}`;

/** Sorts records by when they were made, the newest first. */
export const NEWEST_FIRST: PageSort<{ readonly createdAt: number; readonly id: string }> = {
  keyOf: ({ createdAt, id }) => timeKey(createdAt, id),
  newestFirst: true,
};

/** Cuts one page out of a whole list. Fails with VALIDATION_ERROR for a foreign cursor. */
export const pageOf = <T>(
  all: readonly T[],
  { keyOf, newestFirst = false }: PageSort<NoInfer<T>>,
  { cursor, limit }: PageQuery,
): Page<T> => {
  const sign = newestFirst ? -1 : 1;
  const order = (a: string, b: string): number => (a < b ? -sign : a > b ? sign : 0);
  const last = cursor === undefined ? undefined : fromCursor(cursor);
  const rest = all
    .map((item) => ({ item, key: keyOf(item) }))
    .filter(({ key }) => last === undefined || order(key, last) > 0)
    .sort((a, b) => order(a.key, b.key));
  const page = rest.slice(0, limit);
  const end = page.at(-1);
  return {
    items: page.map(({ item }) => item),
    ...(end && rest.length > limit && { next: toCursor(end.key) }),
  };
};

/** Ends a page where its items are large: whoever reads a list of such would fill the memory of the server. */
export const boundedPage = <T>(page: Page<T>, keyOf: (item: T) => string): Page<T> => {
  const items: T[] = [];
  let chars = 0;
  for (const item of page.items) {
    chars += JSON.stringify(item).length;
    const last = items.at(-1);
    if (chars > MAX_PAGE_CHARS && last) return { items, next: toCursor(keyOf(last)) };
    items.push(item);
  }
  return page;
};
