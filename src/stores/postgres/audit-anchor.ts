/** Stores the anchor of a pruned trail, and prunes. */
import type { AuditCheckpoint } from '../../contract/audit.ts';
import { conflict } from '../../kit/data/coded-failures.ts';
import { ANCHOR_CONFLICTS } from '../audit-text.ts';
import { type AnchorRecord, readAnchor } from '../read-anchor.ts';
import type { Database, Statement } from './database/open-database.ts';

type PruneAnswer = { readonly pruned: number } | { readonly conflict: 'row' | 'open' };

export class AuditAnchor {
  readonly #get: Statement;
  readonly #prune: Statement;

  constructor(database: Database) {
    this.#get = database.prepare('SELECT seq, checkpoint FROM @audit_anchor');
    this.#prune = database.prepare('SELECT @prune_audit($1, $2, $3) AS answer');
  }

  async get(): Promise<AuditCheckpoint | undefined> {
    const record = await this.#get.get<AnchorRecord>();
    return record && readAnchor(record);
  }

  /** Deletes the rows up to the anchor, which is stored first: the trigger that protects rows reads it. */
  async prune(anchor: AuditCheckpoint): Promise<number> {
    const note = JSON.stringify(anchor);
    const row = await this.#prune.get<{ answer: PruneAnswer }>(anchor.seq, anchor.hash, note);
    const answer = row?.answer ?? { conflict: 'row' };
    if ('pruned' in answer) return answer.pruned;
    const [message, suggestion] = ANCHOR_CONFLICTS[answer.conflict];
    throw conflict(message, suggestion);
  }
}
