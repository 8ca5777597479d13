/** Tokens in SQLite. Every process sees with its next query that one was revoked. */
import { ToolFailure } from '../../contract/errors.ts';
import type { TokenRecord, Tokens } from '../../contract/tokens.ts';
import type { Statement } from '../../kit/sqlite/open-database.ts';
import type { SqliteDeps } from '../../kit/sqlite/sqlite-deps.ts';
import { toSqlText } from '../../kit/text/sql-text.ts';
import { recordText } from '../plain-json.ts';
import { type TokenRow, toTokenRecord } from '../token-row.ts';

const COLUMNS = 'record, revoked_at, last_used_at';

export class SqliteTokens implements Tokens {
  readonly #deps: SqliteDeps;
  readonly #insert: Statement;
  readonly #find: Statement;
  readonly #all: Statement;
  readonly #revoke: Statement;
  readonly #touch: Statement;

  constructor(deps: SqliteDeps) {
    this.#deps = deps;
    const prepare = (sql: string) => deps.database.prepare(sql);
    this.#insert = prepare(`INSERT OR IGNORE INTO tokens (id, ${COLUMNS}) VALUES (?, ?, ?, ?)`);
    this.#find = prepare(`SELECT ${COLUMNS} FROM tokens WHERE id = ?`);
    this.#all = prepare(`SELECT ${COLUMNS} FROM tokens ORDER BY rowid DESC`);
    this.#revoke = prepare('UPDATE tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL');
    this.#touch = prepare('UPDATE tokens SET last_used_at = ? WHERE id = ?');
  }

  async add(record: TokenRecord): Promise<void> {
    const { revokedAt = null, lastUsedAt = null, ...fixed } = record;
    const text = recordText(fixed);
    await this.#deps.writer.write(() => {
      const { changes } = this.#insert.run(toSqlText(record.id), text, revokedAt, lastUsedAt);
      if (Number(changes) > 0) return;
      throw new ToolFailure('CONFLICT', 'A token of this id exists already.');
    });
  }

  async get(id: string): Promise<TokenRecord | undefined> {
    const row = await this.#deps.writer.read(
      () => this.#find.get(toSqlText(id)) as TokenRow | undefined,
    );
    return row && toTokenRecord(row);
  }

  async list(): Promise<readonly TokenRecord[]> {
    const rows = await this.#deps.writer.read(() => this.#all.all());
    return (rows as TokenRow[]).map(toTokenRecord);
  }

  revoke(id: string, at: number): Promise<boolean> {
    return this.#deps.writer.write(() => Number(this.#revoke.run(at, toSqlText(id)).changes) > 0);
  }

  async touch(id: string, at: number): Promise<void> {
    await this.#deps.writer.write(() => {
      this.#touch.run(at, toSqlText(id));
    });
  }
}
