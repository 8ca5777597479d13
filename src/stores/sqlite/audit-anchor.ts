/** The anchor of a pruned trail as it is kept, and the pruning itself. */
import type { AuditCheckpoint } from '../../contract/audit.ts';
import { conflict } from '../audit-row.ts';
import type { Database, Statement } from './database/open-database.ts';

interface AnchorRecord {
  readonly seq: number;
  readonly checkpoint: string;
}

/** Stands for an anchor that cannot be read: nobody signed it, so verification fails on it. */
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
    const found = JSON.parse(checkpoint) as AuditCheckpoint;
    if (found.seq === seq && typeof found.hash === 'string') return found;
  } catch {
    // Falls through: whoever wrote it, it was not us.
  }
  return unreadable(seq);
};

/** All of it runs inside a transaction of the caller. */
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
    const found = this.#get.get() as AnchorRecord | undefined;
    return found && readAnchor(found);
  }

  /** The anchor comes first: the trigger that keeps rows lets go of those it covers. */
  prune(anchor: AuditCheckpoint): number {
    const found = this.#hashAt.get(anchor.seq) as { hash: string } | undefined;
    if (found?.hash !== anchor.hash) {
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
