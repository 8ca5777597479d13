/** Standing grants in SQLite. Every process sees with its next query that one was revoked. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Grant, Grants } from '../../contract/grant.ts';
import type { Statement } from '../../kit/sqlite/open-database.ts';
import type { SqliteDeps } from '../../kit/sqlite/sqlite-deps.ts';
import { toSqlText } from '../../kit/text/sql-text.ts';
import { recordText } from '../plain-json.ts';

export class SqliteGrants implements Grants {
  readonly #deps: SqliteDeps;
  readonly #insert: Statement;
  readonly #delete: Statement;
  readonly #list: Statement;

  constructor(deps: SqliteDeps) {
    this.#deps = deps;
    const prepare = (sql: string) => deps.database.prepare(sql);
    this.#insert = prepare(
      'INSERT OR IGNORE INTO grants (id, created_at, expires_at, record) VALUES (?, ?, ?, ?)',
    );
    this.#delete = prepare('DELETE FROM grants WHERE id = ?');
    this.#list = prepare(
      `SELECT record FROM grants WHERE expires_at IS NULL OR expires_at > ?
       ORDER BY rowid DESC`,
    );
  }

  async add(grant: Grant): Promise<void> {
    const text = recordText(grant);
    await this.#deps.writer.write(() => {
      const id = toSqlText(grant.id);
      const { changes } = this.#insert.run(id, grant.createdAt, grant.expiresAt ?? null, text);
      if (Number(changes) > 0) return;
      throw new ToolFailure('CONFLICT', 'A grant of this id exists already.');
    });
  }

  revoke(id: string): Promise<boolean> {
    return this.#deps.writer.write(() => Number(this.#delete.run(toSqlText(id)).changes) > 0);
  }

  async list(now: number): Promise<readonly Grant[]> {
    const rows = await this.#deps.writer.read(() => this.#list.all(now));
    return (rows as { readonly record: string }[]).map(({ record }) => JSON.parse(record));
  }
}
