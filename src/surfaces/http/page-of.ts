/** Lists in pages. A cursor holds the key of the last item seen, so that new ones disturb nobody. */
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

export const toCursor = (key: string): string => Buffer.from(key).toString('base64url');

export const fromCursor = (cursor: string): string => {
  const key = Buffer.from(cursor, 'base64url').toString();
  // Anything that we did not write ourselves reads back differently.
  if (key !== '' && toCursor(key) === cursor) return key;
  throw new ToolFailure('VALIDATION_ERROR', 'The cursor is not one of ours.', {
    issues: [{ path: ['cursor'], message: 'Take it from the `next` of the page before.' }],
  });
};

/** A time and a name as a key whose order as text is the order in time. */
export const timeKey = (at: number, name: string): string =>
  `${String(Math.round(at)).padStart(16, '0')} ${name}`;

export const pageOf = <T>(
  all: readonly T[],
  { keyOf, newestFirst = false }: PageSort<T>,
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
