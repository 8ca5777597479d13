/**
 * The audit trail in memory. Every call appends, so `append` only keeps the entry; rows and their hashes
 * are computed when they are read.
 */
import type {
  AuditCheckpoint,
  AuditEntry,
  AuditFilter,
  AuditLog,
  AuditRow,
  WrittenListener,
} from '../../contract/audit.ts';
import type { Intents } from '../../contract/store.ts';
import { conflict } from '../../kit/data/coded-failures.ts';
import { matchesAuditFilter } from '../../kit/data/matches-audit-filter.ts';
import {
  canonicalText,
  chainHash,
  GENESIS_HASH,
  readDetail,
  rowFields,
  toStoredEntry,
} from '../audit-row.ts';
import { jsonCopy } from '../plain-json.ts';
import { PackedEntries } from './packed-entries.ts';

const PAGE = 1000;

const matches = (row: Omit<AuditRow, 'detail'>, filter: AuditFilter): boolean =>
  (filter.before === undefined || row.seq < filter.before) && matchesAuditFilter(row, filter);

/** A row whose detail stays a text, so that each reader gets an object of its own. */
type StoredRow = Omit<AuditRow, 'detail'> & { readonly detail: string };

const toRow = (row: StoredRow): AuditRow => ({ ...row, detail: readDetail(row.detail) });

const select = (rows: readonly StoredRow[], filter: AuditFilter): readonly AuditRow[] => {
  const limit = filter.limit ?? Number.POSITIVE_INFINITY;
  const selected: AuditRow[] = [];
  for (let index = rows.length - 1; index >= 0 && selected.length < limit; index--) {
    const row = rows[index] as StoredRow;
    if (matches(row, filter)) selected.push(toRow(row));
  }
  return selected;
};

/** Yields pages by row number, not by index: rows may be pruned between two pages. */
async function* pages(chain: Chain, fromSeq: number) {
  let next = fromSeq;
  for (;;) {
    const page = chain.from(next, PAGE);
    const last = page.at(-1);
    if (!last) return;
    yield page;
    next = last.seq + 1;
  }
}

/** Numbers and hashes rows when they are first read. */
class Chain {
  readonly #waiting = new PackedEntries();
  #rows: StoredRow[] = [];
  #last = 0;
  #anchor: AuditCheckpoint | undefined = undefined;

  /** Returns the number of the row. */
  put(entry: AuditEntry): number {
    this.#waiting.put(entry);
    this.#last += 1;
    return this.#last;
  }

  get anchor(): AuditCheckpoint | undefined {
    return this.#anchor;
  }

  rows(): readonly StoredRow[] {
    let { seq, hash } = this.#rows.at(-1) ?? this.#anchor ?? { seq: 0, hash: GENESIS_HASH };
    for (const entry of this.#waiting.take()) {
      const stored = toStoredEntry(entry);
      seq += 1;
      hash = chainHash(hash, canonicalText(rowFields(seq, stored)));
      this.#rows.push({ ...stored, seq, hash });
    }
    return this.#rows;
  }

  /** Returns at most `count` rows from a number on. */
  from(seq: number, count: number): readonly AuditRow[] {
    const start = Math.max(0, seq - this.#pruned - 1);
    return this.rows()
      .slice(start, start + count)
      .map(toRow);
  }

  end(): { readonly seq: number; readonly hash: string } | undefined {
    const last = this.rows().at(-1) ?? this.#anchor;
    return last && { seq: last.seq, hash: last.hash };
  }

  prune(anchor: AuditCheckpoint, open: ReadonlyMap<string, AuditEntry>): number {
    const count = anchor.seq - this.#pruned;
    const old = this.rows().slice(0, Math.max(0, count));
    if (old.length !== count || old.at(-1)?.hash !== anchor.hash) {
      throw conflict(
        'The trail has no such row, or another one in its place.',
        'Verify the trail, then prune again with a new anchor.',
      );
    }
    if (old.some(({ kind, executionId }) => kind === 'intent' && open.has(executionId))) {
      throw conflict(
        'A call among the rows is still open.',
        'Wait until it is over, or prune less.',
      );
    }
    this.#rows = this.#rows.slice(count);
    this.#anchor = anchor;
    return count;
  }

  get #pruned(): number {
    return this.#anchor?.seq ?? 0;
  }
}

export const memoryAudit = (): { readonly audit: AuditLog; readonly intents: Intents } => {
  const open = new Map<string, AuditEntry>();
  const chain = new Chain();
  const listeners = new Set<WrittenListener>();

  const audit: AuditLog = {
    append(entry) {
      const seq = chain.put(entry);
      for (const listener of listeners) listener(seq, [entry]);
      if (entry.kind === 'intent') open.set(entry.executionId, entry);
      else if (open.size > 0 && entry.kind === 'outcome') open.delete(entry.executionId);
      return undefined;
    },
    // No other process can take over a claim: the store lives in this one.
    intend: async (entries) => {
      for (const entry of entries) void audit.append(entry);
    },
    onWritten: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    query: async (filter = {}) => select(chain.rows(), filter),
    scan: (fromSeq = 1) => pages(chain, fromSeq),
    head: async () => chain.end(),
    anchor: async () => chain.anchor,
    prune: async (anchor) => chain.prune(anchor, open),
  };
  const intents: Intents = {
    open: async () =>
      [...open.values()].map((entry) => ({ entry: jsonCopy(entry), ownerAlive: true })),
    // Every intent is of this process, which is alive.
    conclude: async () => false,
  };
  return { audit, intents };
};
