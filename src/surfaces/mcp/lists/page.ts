/** Lists in pages. A cursor names the last item of a page, so that changes in between lose nothing. */
import type { Sdk } from '../load-sdk.ts';

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

const PREFIX = 'after:';

const read = (cursor: string): string | undefined => {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const isOurs = text.startsWith(PREFIX) && writeCursor(text.slice(PREFIX.length)) === cursor;
  return isOurs ? text.slice(PREFIX.length) : undefined;
};

const writeCursor = (key: string): string =>
  Buffer.from(PREFIX + key, 'utf8').toString('base64url');

export interface PageRequest<T> {
  readonly cursor: string | undefined;
  readonly size: number;
  keyOf(item: T): string;
}

const byKey =
  <T>(keyOf: (item: T) => string) =>
  (a: T, b: T): number => {
    const [left, right] = [keyOf(a), keyOf(b)];
    if (left === right) return 0;
    return left < right ? -1 : 1;
  };

/** Cuts one page out of a list. Throws the protocol's error for a foreign cursor. */
export const pageOf = <T>(all: readonly T[], request: PageRequest<T>, sdk: Sdk): Page<T> => {
  const { cursor, size, keyOf } = request;
  const after = cursor === undefined ? undefined : read(cursor);
  if (cursor !== undefined && after === undefined) {
    throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, 'Invalid cursor');
  }
  const sorted = all.toSorted(byKey(keyOf));
  const rest = after === undefined ? sorted : sorted.filter((item) => keyOf(item) > after);
  const items = rest.slice(0, size);
  const last = items.at(-1);
  return last !== undefined && rest.length > items.length
    ? { items, nextCursor: writeCursor(keyOf(last)) }
    : { items };
};
