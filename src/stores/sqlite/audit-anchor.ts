/** Stores the anchor of a pruned trail, and prunes. */
import type { AuditCheckpoint } from '../../contract/audit.ts';
import { conflict } from '../../kit/data/coded-failures.ts';
import type { Database, Statement } from '../../kit/sqlite/open-database.ts';
import { ANCHOR_CONFLICTS } from '../audit-text.ts';
import { type AnchorRecord, readAnchor } from '../read-anchor.ts';

/** Runs inside a transaction of the caller. */
export class AuditAnchor {
  readonly #get: Statement;
  readonly #put: Statement;
  readonly #hashAt: Statement;
  readonly #openAmong: Statement;
  readonly #delete: Statement;

  constructor(database: Database) {
    const prepare = (sql: string) => database.prepare(sql);
    this.#get = prepare('SELECT seq, checkpoint FROM audit_anchor');
    this.#put = prepare(
      'INSERT OR REPLACE INTO audit_anchor (one, seq, checkpoint) VALUES (1, ?, ?)',
    );
    this.#hashAt = prepare('SELECT hash FROM audit WHERE seq = ?');
    this.#openAmong = prepare(
      `SELECT 1 FROM intents JOIN audit USING (execution_id)
       WHERE audit.kind = 'intent' AND audit.seq <= ? LIMIT 1`,
    );
    this.#delete = prepare('DELETE FROM audit WHERE seq <= ?');
  }

  get(): AuditCheckpoint | undefined {
    const record = this.#get.get() as AnchorRecord | undefined;
    return record && readAnchor(record);
  }

  /** Deletes the rows up to the anchor, which is stored first: the trigger that protects rows reads it. */
  prune(anchor: AuditCheckpoint): number {
    const row = this.#hashAt.get(anchor.seq) as { hash: string } | undefined;
    if (row?.hash !== anchor.hash) {
      throw conflict(...ANCHOR_CONFLICTS.row);
    }
    if (this.#openAmong.get(anchor.seq) !== undefined) {
      throw conflict(...ANCHOR_CONFLICTS.open);
    }
    this.#put.run(anchor.seq, JSON.stringify(anchor));
    return Number(this.#delete.run(anchor.seq).changes);
  }
}
