/** File snapshots in PostgreSQL: the bytes as they were, in the order of the call's writes. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Snapshot, Snapshots } from '../../contract/store.ts';
import { isSamePlace } from '../../kit/data/place.ts';
import { toSqlText } from '../../kit/text/sql-text.ts';
import { type SnapshotRow, toSnapshot } from '../snapshot-row.ts';
import type { Statement } from './database/open-database.ts';
import type { PostgresDeps } from './postgres-deps.ts';

interface PlacedRow extends SnapshotRow {
  readonly place: string | null;
}

export class PostgresSnapshots implements Snapshots {
  readonly #place: string;
  readonly #insert: Statement;
  readonly #of: Statement;
  readonly #drop: Statement;
  readonly #expire: Statement;

  constructor({ database, owner }: PostgresDeps) {
    this.#place = owner.place;
    this.#insert = database.prepare(
      `INSERT INTO @snapshots (execution_id, step, path, before, before_mode, after_hash, kept_at,
         place)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
    );
    this.#of = database.prepare(
      `SELECT step, path, before, before_mode, after_hash, kept_at, place FROM @snapshots
       WHERE execution_id = $1 ORDER BY step`,
    );
    this.#drop = database.prepare('DELETE FROM @snapshots WHERE execution_id = $1');
    this.#expire = database.prepare(
      `DELETE FROM @snapshots AS old
       WHERE execution_id IN (SELECT execution_id FROM @snapshots WHERE kept_at < $1)
       AND NOT EXISTS (SELECT 1 FROM @snapshots AS other
         WHERE other.execution_id = old.execution_id AND other.kept_at >= $1)`,
    );
  }

  async save(snapshot: Snapshot): Promise<void> {
    const changes = await this.#insert.run(
      toSqlText(snapshot.executionId),
      snapshot.order,
      toSqlText(snapshot.path),
      // Copied now: the statement is sent later, and the caller's buffer may have changed by then.
      snapshot.before ? Uint8Array.from(snapshot.before) : null,
      snapshot.beforeMode ?? null,
      snapshot.afterHash ?? null,
      snapshot.keptAt,
      this.#place,
    );
    if (changes > 0) return;
    throw new ToolFailure('CONFLICT', 'This write of the call has its snapshot already.');
  }

  async of(executionId: string): Promise<readonly Snapshot[]> {
    const rows = await this.#of.all<PlacedRow>(toSqlText(executionId));
    return rows.map(({ place, ...row }) => ({
      ...toSnapshot(executionId, row),
      // Rows of an earlier version have no place.
      ...(place !== null && !isSamePlace(place, this.#place) && { elsewhere: place }),
    }));
  }

  async drop(executionId: string): Promise<void> {
    await this.#drop.run(toSqlText(executionId));
  }

  expire(before: number): Promise<number> {
    return this.#expire.run(before);
  }
}
