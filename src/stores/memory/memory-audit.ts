/**
 * The audit trail in memory. Appending is on the path of every call, so it only keeps the entry;
 * rows and their hashes are worked out when somebody reads.
 */
import {
  type AuditEntry,
  type AuditFilter,
  type AuditLog,
  type AuditRow,
  WRITTEN,
} from '../../contract/audit.ts';
import type { Intents } from '../../contract/store.ts';
import { canonicalText, chainHash, GENESIS_HASH, readDetail, toStoredEntry } from '../audit-row.ts';
import { EntryPile } from './entry-pile.ts';

const PAGE = 1000;

const matches = (row: AuditRow, filter: AuditFilter): boolean =>
  (filter.executionId === undefined || row.executionId === filter.executionId) &&
  (filter.userId === undefined || row.userId === filter.userId) &&
  (filter.tool === undefined || row.tool === filter.tool) &&
  (filter.tier === undefined || row.tier === filter.tier) &&
  (filter.status === undefined || row.status === filter.status) &&
  (filter.kind === undefined || row.kind === filter.kind) &&
  (filter.from === undefined || row.at >= filter.from) &&
  (filter.to === undefined || row.at < filter.to) &&
  (filter.before === undefined || row.seq < filter.before);

const select = (rows: readonly AuditRow[], filter: AuditFilter): readonly AuditRow[] => {
  const limit = filter.limit ?? Number.POSITIVE_INFINITY;
  const found: AuditRow[] = [];
  for (let index = rows.length - 1; index >= 0 && found.length < limit; index--) {
    const row = rows[index];
    if (row && matches(row, filter)) found.push(row);
  }
  return found;
};

async function* pages(rows: () => readonly AuditRow[], fromSeq: number) {
  let next = Math.max(0, fromSeq - 1);
  for (;;) {
    const page = rows().slice(next, next + PAGE);
    if (page.length === 0) return;
    yield page;
    next += page.length;
  }
}

export const memoryAudit = (): { readonly audit: AuditLog; readonly intents: Intents } => {
  const open = new Map<string, AuditEntry>();
  const chained: AuditRow[] = [];
  const waiting = new EntryPile();

  const rows = (): readonly AuditRow[] => {
    let previous = chained.at(-1)?.hash ?? GENESIS_HASH;
    for (const entry of waiting.take()) {
      const seq = chained.length + 1;
      const stored = toStoredEntry(entry);
      previous = chainHash(previous, canonicalText(seq, stored));
      chained.push({ ...stored, detail: readDetail(stored.detail), seq, hash: previous });
    }
    return chained;
  };

  const audit: AuditLog = {
    append(entry) {
      waiting.put(entry);
      if (entry.kind === 'intent') open.set(entry.executionId, entry);
      else if (open.size > 0 && entry.kind === 'outcome') open.delete(entry.executionId);
      return WRITTEN;
    },
    query: async (filter = {}) => select(rows(), filter),
    scan: (fromSeq = 1) => pages(rows, fromSeq),
    head: async () => {
      const last = rows().at(-1);
      return last && { seq: last.seq, hash: last.hash };
    },
  };
  const intents: Intents = {
    open: async () => [...open.values()].map((entry) => ({ entry, ownerAlive: true })),
  };
  return { audit, intents };
};
