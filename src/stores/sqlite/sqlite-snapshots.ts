/** File snapshots in SQLite: the bytes as they were, in the order of the call's writes. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Snapshot, Snapshots } from '../../contract/store.ts';
import type { Statement } from '../../kit/sqlite/open-database.ts';
import type { SqliteDeps } from '../../kit/sqlite/sqlite-deps.ts';
import { toSqlText } from '../../kit/text/sql-text.ts';
import { type SnapshotRow, toSnapshot } from '../snapshot-row.ts';

export class SqliteSnapshots implements Snapshots {
  readonly #deps: SqliteDeps;
  readonly #insert: Statement;
  readonly #of: Statement;
  readonly #drop: Statement;
  readonly #expire: Statement;

  constructor(deps: SqliteDeps) {
    this.#deps = deps;
    const prepare = (sql: string) => deps.database.prepare(sql);
    this.#insert = prepare(
      `INSERT OR IGNORE INTO snapshots
         (execution_id, step, path, before, before_mode, after_hash, kept_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#of = prepare(
      `SELECT step, path, before, before_mode, after_hash, kept_at FROM snapshots
       WHERE execution_id = ? ORDER BY step`,
    );
    this.#drop = prepare('DELETE FROM snapshots WHERE execution_id = ?');
    this.#expire = prepare(
      `DELETE FROM snapshots
       WHERE execution_id IN (SELECT execution_id FROM snapshots WHERE kept_at < ?1)
       AND NOT EXISTS (SELECT 1 FROM snapshots AS other
         WHERE other.execution_id = snapshots.execution_id AND other.kept_at >= ?1)`,
    );
  }

  async save(snapshot: Snapshot): Promise<void> {
    // Copied now: the write happens later, and the caller's buffer may have changed by then.
    const before = snapshot.before ? Uint8Array.from(snapshot.before) : null;
    await this.#deps.writer.write(() => {
      const { changes } = this.#insert.run(
        toSqlText(snapshot.executionId),
        snapshot.order,
        toSqlText(snapshot.path),
        before,
        snapshot.beforeMode ?? null,
        snapshot.afterHash ?? null,
        snapshot.keptAt,
      );
      if (Number(changes) > 0) return;
      throw new ToolFailure('CONFLICT', 'This write of the call has its snapshot already.');
    });
  }

  async of(executionId: string): Promise<readonly Snapshot[]> {
    const rows = await this.#deps.writer.read(
      () => this.#of.all(toSqlText(executionId)) as SnapshotRow[],
    );
    return rows.map((row) => toSnapshot(executionId, row));
  }

  async drop(executionId: string): Promise<void> {
    await this.#deps.writer.write(() => this.#drop.run(toSqlText(executionId)));
  }

  expire(before: number): Promise<number> {
    return this.#deps.writer.write(() => Number(this.#expire.run(before).changes));
  }
}
