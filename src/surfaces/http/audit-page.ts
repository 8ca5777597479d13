/** A page of the audit trail, newest first. Sequence numbers never change, so cursors stay good. */
import type { AuditFilter, AuditRow } from '../../contract/audit.ts';
import type { Crib } from '../../contract/crib.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { fromCursor, type Page, type PageQuery, toCursor } from './page-of.ts';

const seqOf = (cursor: string): number => {
  const seq = Number(fromCursor(cursor));
  if (Number.isSafeInteger(seq) && seq > 0) return seq;
  throw new ToolFailure('VALIDATION_ERROR', 'The cursor is not one of this list.');
};

export const auditPage = async (
  crib: Crib,
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
