/** Large results in SQLite, by handle and only for the user they were made for. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Results, StoredResult } from '../../contract/store.ts';
import type { Statement } from '../../kit/sqlite/open-database.ts';
import type { SqliteDeps } from '../../kit/sqlite/sqlite-deps.ts';
import { fromSqlText, toSqlText } from '../../kit/text/sql-text.ts';
import { resultSlice } from '../result-slice.ts';

export class SqliteResults implements Results {
  readonly #deps: SqliteDeps;
  readonly #insert: Statement;
  readonly #find: Statement;
  readonly #drop: Statement;
  readonly #expire: Statement;

  constructor(deps: SqliteDeps) {
    this.#deps = deps;
    this.#insert = deps.database.prepare(
      `INSERT OR IGNORE INTO results (handle, user_id, execution_id, text, kept_at)
       VALUES (?, ?, ?, ?, ?)`,
    );
    this.#find = deps.database.prepare('SELECT text FROM results WHERE handle = ? AND user_id = ?');
    this.#drop = deps.database.prepare('DELETE FROM results WHERE execution_id = ?');
    this.#expire = deps.database.prepare('DELETE FROM results WHERE kept_at < ?');
  }

  async put({ handle, userId, executionId, text, keptAt }: StoredResult): Promise<void> {
    const values = [handle, userId, executionId, text].map(toSqlText);
    await this.#deps.writer.write(() => {
      if (Number(this.#insert.run(...values, keptAt).changes) > 0) return;
      throw new ToolFailure('CONFLICT', 'A result of this handle exists already.');
    });
  }

  async read(
    handle: string,
    userId: string,
    range: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly text: string; readonly total: number } | undefined> {
    const row = await this.#deps.writer.read(
      () => this.#find.get(toSqlText(handle), toSqlText(userId)) as { text: string } | undefined,
    );
    return row && resultSlice(fromSqlText(row.text), range);
  }

  async drop(executionId: string): Promise<void> {
    await this.#deps.writer.write(() => this.#drop.run(toSqlText(executionId)));
  }

  expire(before: number): Promise<number> {
    return this.#deps.writer.write(() => Number(this.#expire.run(before).changes));
  }
}
