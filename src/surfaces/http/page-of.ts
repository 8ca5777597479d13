/**
 * Lists in pages. A cursor holds the key of the last item of a page, so that new items do not shift the
 * next one. In the audit trail that key is the sequence number, which never changes.
 */
import type { AuditFilter, AuditRow } from '../../contract/audit.ts';
import { summaryOfRow } from '../../contract/call-summary.ts';
import type { CribHost } from '../../contract/crib-host.ts';
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

const toCursor = (key: string): string => Buffer.from(key).toString('base64url');

const fromCursor = (cursor: string): string => {
  const key = Buffer.from(cursor, 'base64url').toString();
  // A text that this server did not encode reads back differently.
  if (key !== '' && toCursor(key) === cursor) return key;
  throw new ToolFailure('VALIDATION_ERROR', 'The cursor is not one of ours.', {
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

const seqOf = (cursor: string): number => {
  const seq = Number(fromCursor(cursor));
  if (Number.isSafeInteger(seq) && seq > 0) return seq;
  throw new ToolFailure('VALIDATION_ERROR', 'The cursor is not one of this list.');
};

/** Reads a page of the audit trail, the newest row first. */
export const auditPage = async (
  crib: CribHost,
  filter: AuditFilter,
  { cursor, limit }: PageQuery,
): Promise<Page<AuditRow>> => {
  const before = cursor === undefined ? {} : { before: seqOf(cursor) };
  const { audit } = await crib.store();
  const rows = await audit.query({ ...filter, ...before, limit: limit + 1 });
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, ...(last && rows.length > limit && { next: toCursor(String(last.seq)) }) };
};

/** Rows that one request searches; its cursor continues after them. */
const MAX_SEARCHED = 5_000;

const mentions = (row: AuditRow, text: string): boolean =>
  [row.tool, row.userId, row.agentId, row.code, summaryOfRow(row)].some((part) =>
    part.toLowerCase().includes(text),
  );

/** Reads a page of the rows that have a text in their tool, caller, code or summary. */
export const searchPage = async (
  crib: CribHost,
  { filter, text }: { readonly filter: AuditFilter; readonly text: string | undefined },
  query: PageQuery,
): Promise<Page<AuditRow>> => {
  if (text === undefined) return auditPage(crib, filter, query);
  const before = query.cursor === undefined ? {} : { before: seqOf(query.cursor) };
  const { audit } = await crib.store();
  const rows = await audit.query({ ...filter, ...before, limit: MAX_SEARCHED });
  const hits = rows.filter((row) => mentions(row, text.toLowerCase()));
  const items = hits.slice(0, query.limit);
  const last = hits.length > query.limit ? items.at(-1) : rows.at(-1);
  const isMore = hits.length > query.limit || rows.length === MAX_SEARCHED;
  return { items, ...(last && isMore && { next: toCursor(String(last.seq)) }) };
};
