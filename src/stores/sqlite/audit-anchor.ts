/** Stores the anchor of a pruned trail, and prunes. */
import type { AuditCheckpoint } from '../../contract/audit.ts';
import type { Database, Statement } from '../../kit/sqlite/open-database.ts';
import { conflict } from '../audit-row.ts';

interface AnchorRecord {
  readonly seq: number;
  readonly checkpoint: string;
}

/** Replaces an anchor that cannot be read: it has no signature, so verification fails. */
const unreadable = (seq: number): AuditCheckpoint => ({
  version: 1,
  seq,
  hash: '',
  at: 0,
  store: '',
  publicKey: '',
  signature: '',
});

const readAnchor = ({ seq, checkpoint }: AnchorRecord): AuditCheckpoint => {
  try {
    const anchor = JSON.parse(checkpoint) as AuditCheckpoint;
    if (anchor.seq === seq && typeof anchor.hash === 'string') return anchor;
  } catch {
    // Falls through: Toolcrib did not write it.
  }
  return unreadable(seq);
};

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
      throw conflict(
        'The trail has no such row, or another one in its place.',
        'Verify the trail, then prune again with a new anchor.',
      );
    }
    if (this.#openAmong.get(anchor.seq) !== undefined) {
      throw conflict(
        'A call among the rows is still open.',
        'Wait until it is over, or prune less.',
      );
    }
    this.#put.run(anchor.seq, JSON.stringify(anchor));
    return Number(this.#delete.run(anchor.seq).changes);
  }
}
