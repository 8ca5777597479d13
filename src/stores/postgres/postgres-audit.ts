/**
 * The audit trail in PostgreSQL. The server numbers and hashes the rows of a batch while it holds the
 * lock of its group, so that any number of processes write one chain.
 */
import type {
  AuditCheckpoint,
  AuditEntry,
  AuditFilter,
  AuditLog,
  AuditRow,
  Durability,
  IntentClaim,
} from '../../contract/audit.ts';
import type { Intents, OpenIntent } from '../../contract/store.ts';
import { toSqlText } from '../../kit/text/sql-text.ts';
import { AUDIT_COLUMNS, type AuditRecord, fromAuditRecord } from '../audit-columns.ts';
import { canonicalText, rowFields, toStoredEntry } from '../audit-row.ts';
import { escapedEntry, isUnusual, lostClaim } from '../audit-text.ts';
import { AuditAnchor } from './audit-anchor.ts';
import { queryAudit } from './audit-query.ts';
import { toKeyText } from './database/key-text.ts';
import type { Statement } from './database/open-database.ts';
import { hasEnded } from './database/owner-id.ts';
import type { PostgresDeps } from './postgres-deps.ts';

const PAGE = 1000;

interface Head {
  readonly seq: number;
  readonly hash: string;
}

interface IntentRecord extends AuditRecord {
  readonly owner: string;
  readonly alive: boolean;
  readonly elsewhere: boolean;
}

/** A row on its way: its canonical text after the number, and its fields where that text has escapes. */
interface SentRow {
  readonly rest: string;
  readonly fields?: readonly (string | number)[];
}

/** Makes the row to send. The server puts `[` and the number of the row before its text. */
const toSentRow = (entry: AuditEntry): SentRow => {
  const stored = toStoredEntry(entry);
  const rest = canonicalText(rowFields(0, stored)).slice('[0'.length);
  return isUnusual(rest) ? { rest, fields: rowFields(0, escapedEntry(stored)) } : { rest };
};

export class PostgresAudit implements AuditLog, Intents {
  readonly #deps: PostgresDeps;
  readonly #head: Statement;
  readonly #listIntents: Statement;
  readonly #page: Statement;
  readonly #anchor: AuditAnchor;

  constructor(deps: PostgresDeps) {
    this.#deps = deps;
    this.#anchor = new AuditAnchor(deps.database);
    const prepare = (sql: string) => deps.database.prepare(sql);
    this.#head = prepare(
      `SELECT seq, hash FROM (
         (SELECT seq, hash, 1 AS rank FROM @audit ORDER BY seq DESC LIMIT 1)
         UNION ALL SELECT seq, hash, 2 FROM @audit_anchor) AS ends
       ORDER BY rank LIMIT 1`,
    );
    this.#listIntents = prepare(
      `SELECT audit.*, intents.owner, intents.owner = $1 OR EXISTS (SELECT 1 FROM @owners AS owner
         WHERE owner.id = intents.owner
         AND heartbeat_at > clock_timestamp() - lease_ms * interval '1 ms') AS alive,
         split_part(intents.place, ' ', 1) <> split_part($2, ' ', 1) AS elsewhere
       FROM @intents AS intents JOIN @audit AS audit USING (seq) ORDER BY seq`,
    );
    this.#page = prepare(
      `SELECT ${AUDIT_COLUMNS} FROM @audit WHERE seq >= $1 ORDER BY seq LIMIT ${PAGE}`,
    );
  }

  async append(entry: AuditEntry, durability: Durability = 'synced'): Promise<void> {
    await this.#deps.writers.audit.write({ rows: [toSentRow(entry)] }, durability);
  }

  async intend(entries: readonly AuditEntry[], claims: readonly IntentClaim[]): Promise<void> {
    const isAllowed = await this.#deps.writers.audit.write<boolean>({
      rows: entries.map(toSentRow),
      claims: claims.map(({ key, executionId }) => [toKeyText(key), toSqlText(executionId)]),
    });
    if (!isAllowed) throw lostClaim();
  }

  query(filter: AuditFilter = {}): Promise<readonly AuditRow[]> {
    return queryAudit(this.#deps.database, filter);
  }

  async *scan(fromSeq = 1): AsyncIterable<readonly AuditRow[]> {
    let next = fromSeq;
    for (;;) {
      const rows = (await this.#page.all<AuditRecord>(next)).map(fromAuditRecord);
      const last = rows.at(-1);
      if (!last) return;
      yield rows;
      next = last.seq + 1;
    }
  }

  /** Resolves when the row survives a crash: those who note the head elsewhere must find it again. */
  async head(): Promise<Head | undefined> {
    const head = await this.#head.get<Head>();
    if (head) await this.#deps.owner.settle();
    return head;
  }

  anchor(): Promise<AuditCheckpoint | undefined> {
    return this.#anchor.get();
  }

  prune(anchor: AuditCheckpoint): Promise<number> {
    return this.#anchor.prune(anchor);
  }

  async open(): Promise<readonly OpenIntent[]> {
    const { id, place } = this.#deps.owner;
    const records = await this.#listIntents.all<IntentRecord>(id, place);
    return records.map((record) => ({
      entry: fromAuditRecord(record),
      ownerAlive: record.alive,
      ownerEnded: !record.alive && hasEnded(record.owner),
      isElsewhere: record.elsewhere,
    }));
  }

  conclude(outcome: AuditEntry): Promise<boolean> {
    return this.#deps.writers.audit.write<boolean>({
      rows: [toSentRow(outcome)],
      doubt: toSqlText(outcome.executionId),
    });
  }
}
