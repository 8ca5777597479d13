/**
 * The audit trail in SQLite. The rows of one turn of the event loop are one write. The end of the chain
 * is read inside the transaction, because other processes append to the same file.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  AuditCheckpoint,
  AuditEntry,
  AuditFilter,
  AuditLog,
  AuditRow,
  Durability,
  IntentClaim,
  WrittenListener,
} from '../../contract/audit.ts';
import type { Intents, OpenIntent } from '../../contract/store.ts';
import type { SqlValue, Statement } from '../../kit/sqlite/open-database.ts';
import type { SqliteDeps } from '../../kit/sqlite/sqlite-deps.ts';
import { toSqlText } from '../../kit/text/sql-text.ts';
import { AUDIT_COLUMNS, type AuditRecord, fromAuditRecord } from '../audit-columns.ts';
import {
  canonicalText,
  chainHash,
  GENESIS_HASH,
  rowFields,
  type StoredEntry,
  toStoredEntry,
} from '../audit-row.ts';
import { escapedEntry, isUnusual, lostClaim } from '../audit-text.ts';
import { AuditAnchor } from './audit-anchor.ts';
import { AuditInserts } from './audit-inserts.ts';
import { queryAudit } from './audit-query.ts';

const PAGE = 1000;

interface Head {
  readonly seq: number;
  readonly hash: string;
}

/** Entries that are written together and share one promise. */
interface Group {
  readonly entries: StoredEntry[];
  /** As they were appended, for listeners. */
  readonly originals: AuditEntry[];
  readonly written: Promise<void>;
}

export class SqliteAudit implements AuditLog, Intents {
  readonly #deps: SqliteDeps;
  readonly #head: Statement;
  readonly #inserts: AuditInserts;
  readonly #claim: Statement;
  readonly #ownerOf: Statement;
  readonly #anyIntent: Statement;
  readonly #openIntents: Statement;
  readonly #closeIntents: Statement;
  readonly #listIntents: Statement;
  readonly #page: Statement;
  readonly #anchor: AuditAnchor;
  readonly #listeners = new Set<WrittenListener>();
  readonly #groups: { [durability in Durability]?: Group | undefined } = {};

  constructor(deps: SqliteDeps) {
    this.#deps = deps;
    this.#anchor = new AuditAnchor(deps.database);
    const prepare = (sql: string) => deps.database.prepare(sql);
    this.#head = prepare('SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1');
    this.#inserts = new AuditInserts(deps.database);
    this.#claim = prepare(
      'SELECT 1 FROM replays WHERE key = ? AND execution_id = ? AND result IS NULL',
    );
    this.#ownerOf = prepare('SELECT owner FROM intents WHERE execution_id = ?');
    this.#anyIntent = prepare('SELECT 1 FROM intents LIMIT 1');
    this.#openIntents = prepare(
      `INSERT OR REPLACE INTO intents (execution_id, seq, owner)
       SELECT execution_id, seq, ? FROM audit WHERE seq >= ? AND kind = 'intent'`,
    );
    this.#closeIntents = prepare(
      'DELETE FROM intents WHERE execution_id IN (SELECT value FROM json_each(?))',
    );
    this.#listIntents = prepare(
      `SELECT audit.*, intents.owner FROM intents JOIN audit USING (seq) ORDER BY seq`,
    );
    this.#page = prepare(
      `SELECT ${AUDIT_COLUMNS} FROM audit WHERE seq >= ? ORDER BY seq LIMIT ${PAGE}`,
    );
  }

  append(entry: AuditEntry, durability: Durability = 'synced'): Promise<void> {
    const group = this.#groups[durability] ?? this.#startGroup(durability);
    group.entries.push(toStoredEntry(entry));
    if (this.#listeners.size > 0) group.originals.push(entry);
    return group.written;
  }

  onWritten(listener: WrittenListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  intend(entries: readonly AuditEntry[], claims: readonly IntentClaim[]): Promise<void> {
    if (claims.length > 0) return this.#intendClaimed(entries, claims);
    // Entries of one turn are one group, with one promise.
    let written = Promise.resolve();
    for (const entry of entries) written = this.append(entry);
    return written;
  }

  /** Writes outside of a group: a claim that is lost must fail this call and no other. */
  async #intendClaimed(
    entries: readonly AuditEntry[],
    claims: readonly IntentClaim[],
  ): Promise<void> {
    const stored = entries.map(toStoredEntry);
    const first = await this.#deps.writer.write(() => {
      for (const { key, executionId } of claims) {
        if (!this.#claim.get(toSqlText(key), toSqlText(executionId))) throw lostClaim();
      }
      return this.#insertAll(stored);
    });
    this.#tell(first, entries);
  }

  query(filter: AuditFilter = {}): Promise<readonly AuditRow[]> {
    return queryAudit(this.#deps.database, this.#deps.writer, filter);
  }

  async *scan(fromSeq = 1): AsyncIterable<readonly AuditRow[]> {
    let next = fromSeq;
    for (;;) {
      const records = await this.#deps.writer.read(() => this.#page.all(next) as AuditRecord[]);
      const rows = records.map(fromAuditRecord);
      const last = rows.at(-1);
      if (!last) return;
      yield rows;
      next = last.seq + 1;
      await nextTurn();
    }
  }

  /** Resolves when the row is on disk: those who note the head elsewhere must find it again. */
  async head(): Promise<Head | undefined> {
    const { writer } = this.#deps;
    const head = await writer.read(() => this.#end());
    await writer.settle();
    return head;
  }

  async anchor(): Promise<AuditCheckpoint | undefined> {
    return this.#deps.writer.read(() => this.#anchor.get());
  }

  prune(anchor: AuditCheckpoint): Promise<number> {
    return this.#deps.writer.write(() => this.#anchor.prune(anchor));
  }

  /** Returns the last row, or the anchor once everything was pruned. */
  #end(): Head | undefined {
    const head = (this.#head.get() as Head | undefined) ?? this.#anchor.get();
    return head && { seq: head.seq, hash: head.hash };
  }

  open(): Promise<readonly OpenIntent[]> {
    return this.#deps.writer.read(() => {
      const { owner } = this.#deps;
      const isAlive = owner.aliveness();
      const records = this.#listIntents.all() as (AuditRecord & { owner: string })[];
      return records.map((record) => {
        const ownerAlive = isAlive(record.owner);
        const ownerEnded = !ownerAlive && owner.hasEnded(record.owner);
        return { entry: fromAuditRecord(record), ownerAlive, ownerEnded };
      });
    });
  }

  conclude(outcome: AuditEntry): Promise<boolean> {
    const stored = toStoredEntry(outcome);
    const id = toSqlText(outcome.executionId);
    return this.#deps.writer.write(() => {
      const intent = this.#ownerOf.get(id) as { readonly owner: string } | undefined;
      if (!intent || this.#deps.owner.aliveness()(intent.owner)) return false;
      this.#insertAll([stored]);
      return true;
    });
  }

  #startGroup(durability: Durability): Group {
    const entries: StoredEntry[] = [];
    const originals: AuditEntry[] = [];
    const leave = (): void => {
      if (this.#groups[durability]?.entries === entries) this.#groups[durability] = undefined;
    };
    const inserted = this.#deps.writer.write(() => {
      // The group is closed: later entries start another one.
      leave();
      return this.#insertAll(entries);
    }, durability);
    const tell = (first: number): void => {
      // Entries from before somebody listened are not among the originals.
      if (originals.length === entries.length) this.#tell(first, originals);
    };
    // A refused write never runs. Registered first, so that no entry joins a failed group.
    inserted.then(tell, leave);
    const written: Promise<unknown> = inserted;
    const group = { entries, originals, written: written as Promise<void> };
    this.#groups[durability] = group;
    return group;
  }

  #tell(first: number, entries: readonly AuditEntry[]): void {
    for (const listener of this.#listeners) listener(first, entries);
  }

  /** Returns the number of the first row. */
  #insertAll(entries: readonly StoredEntry[]): number {
    const head = this.#end();
    const first = (head?.seq ?? 0) + 1;
    let hash = head?.hash ?? GENESIS_HASH;
    let hasIntent = false;
    const outcomes: string[] = [];
    const values: SqlValue[] = [];
    for (let index = 0; index < entries.length; index++) {
      const entry = entries[index] as StoredEntry;
      const fields = rowFields(first + index, entry);
      const canonical = canonicalText(fields);
      hash = chainHash(hash, canonical);
      const isPlain = !isUnusual(canonical);
      const stored = isPlain ? entry : escapedEntry(entry);
      values.push(...(isPlain ? fields : rowFields(first + index, stored)), hash);
      if (stored.kind === 'outcome') outcomes.push(stored.executionId);
      else if (stored.kind === 'intent') hasIntent = true;
    }
    this.#inserts.run(values);
    if (hasIntent) this.#openIntents.run(this.#deps.owner.claim(), first);
    if (outcomes.length > 0 && this.#anyIntent.get() !== undefined) {
      this.#closeIntents.run(JSON.stringify(outcomes));
    }
    return first;
  }
}
