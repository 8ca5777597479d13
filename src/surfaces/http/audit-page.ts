/** Pages of the audit trail, the newest row first. A cursor holds a sequence number, which never changes. */
import type { AuditFilter, AuditRow } from '../../contract/audit.ts';
import { summaryOfRow } from '../../contract/call-summary.ts';
import type { CribHost } from '../../contract/crib-host.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { fromCursor, type Page, type PageQuery, toCursor } from '../door/page-of.ts';

const seqOf = (cursor: string): number => {
  const seq = Number(fromCursor(cursor));
  if (Number.isSafeInteger(seq) && seq > 0) return seq;
  throw new ToolFailure('VALIDATION_ERROR', 'The cursor is not from a page of this list.');
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
