/** Large results in SQLite, by handle and only for the user they were made for. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Results, StoredResult } from '../../contract/store.ts';
import { resultSlice } from '../result-slice.ts';
import type { Statement } from './database/open-database.ts';
import { fromSqlText, toSqlText } from './database/sql-text.ts';
import type { SqliteParts } from './sqlite-parts.ts';

export class SqliteResults implements Results {
  readonly #parts: SqliteParts;
  readonly #insert: Statement;
  readonly #find: Statement;
  readonly #drop: Statement;
  readonly #expire: Statement;

  constructor(parts: SqliteParts) {
    this.#parts = parts;
    this.#insert = parts.database.prepare(
      `INSERT OR IGNORE INTO results (handle, user_id, execution_id, text, kept_at)
       VALUES (?, ?, ?, ?, ?)`,
    );
    this.#find = parts.database.prepare(
      'SELECT text FROM results WHERE handle = ? AND user_id = ?',
    );
    this.#drop = parts.database.prepare('DELETE FROM results WHERE execution_id = ?');
    this.#expire = parts.database.prepare('DELETE FROM results WHERE kept_at < ?');
  }

  async put({ handle, userId, executionId, text, keptAt }: StoredResult): Promise<void> {
    const values = [handle, userId, executionId, text].map(toSqlText);
    await this.#parts.writer.write(() => {
      if (Number(this.#insert.run(...values, keptAt).changes) > 0) return;
      throw new ToolFailure('CONFLICT', 'A result of this handle exists already.');
    });
  }

  async read(
    handle: string,
    userId: string,
    range: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly text: string; readonly total: number } | undefined> {
    const row = await this.#parts.writer.read(
      () => this.#find.get(toSqlText(handle), toSqlText(userId)) as { text: string } | undefined,
    );
    return row && resultSlice(fromSqlText(row.text), range);
  }

  async drop(executionId: string): Promise<void> {
    await this.#parts.writer.write(() => this.#drop.run(toSqlText(executionId)));
  }

  expire(before: number): Promise<number> {
    return this.#parts.writer.write(() => Number(this.#expire.run(before).changes));
  }
}
