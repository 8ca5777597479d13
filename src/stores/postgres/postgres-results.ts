/** Large results in PostgreSQL, by handle and only for the user they were made for. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Results, StoredResult } from '../../contract/store.ts';
import { fromSqlText, toSqlText } from '../../kit/text/sql-text.ts';
import { resultSlice } from '../result-slice.ts';
import type { Statement } from './database/open-database.ts';
import type { PostgresDeps } from './postgres-deps.ts';

export class PostgresResults implements Results {
  readonly #insert: Statement;
  readonly #find: Statement;
  readonly #drop: Statement;
  readonly #expire: Statement;

  constructor({ database }: PostgresDeps) {
    this.#insert = database.prepare(
      `INSERT INTO @results (handle, user_id, execution_id, text, kept_at)
       VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
    );
    this.#find = database.prepare('SELECT text FROM @results WHERE handle = $1 AND user_id = $2');
    this.#drop = database.prepare('DELETE FROM @results WHERE execution_id = $1');
    this.#expire = database.prepare('DELETE FROM @results WHERE kept_at < $1');
  }

  async put({ handle, userId, executionId, text, keptAt }: StoredResult): Promise<void> {
    const values = [handle, userId, executionId, text].map(toSqlText);
    if ((await this.#insert.run(...values, keptAt)) > 0) return;
    throw new ToolFailure('CONFLICT', 'A result of this handle exists already.');
  }

  async read(
    handle: string,
    userId: string,
    range: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly text: string; readonly total: number } | undefined> {
    const row = await this.#find.get<{ text: string }>(toSqlText(handle), toSqlText(userId));
    return row && resultSlice(fromSqlText(row.text), range);
  }

  async drop(executionId: string): Promise<void> {
    await this.#drop.run(toSqlText(executionId));
  }

  expire(before: number): Promise<number> {
    return this.#expire.run(before);
  }
}
