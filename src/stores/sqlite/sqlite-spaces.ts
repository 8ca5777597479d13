/** What tools remember, in SQLite: JSON text by space and key. */
import type { MemoryStore } from '../../contract/store.ts';
import type { Statement } from '../../kit/sqlite/open-database.ts';
import type { SqliteDeps } from '../../kit/sqlite/sqlite-deps.ts';
import { toSqlText } from '../../kit/text/sql-text.ts';
import { assertSynchronous, toJsonText } from '../plain-json.ts';

interface ItemKey {
  readonly space: string;
  readonly key: string;
}

interface ItemRow {
  readonly value: string;
  readonly expires_at: number | null;
}

const keyOf = ({ space, key }: ItemKey): [space: string, key: string] => [
  toSqlText(space),
  toSqlText(key),
];

export class SqliteSpaces implements MemoryStore {
  readonly #deps: SqliteDeps;
  readonly #find: Statement;
  readonly #put: Statement;
  readonly #delete: Statement;
  readonly #clear: Statement;
  readonly #sweep: Statement;

  constructor(deps: SqliteDeps) {
    this.#deps = deps;
    const prepare = (sql: string) => deps.database.prepare(sql);
    this.#find = prepare('SELECT value, expires_at FROM memory WHERE space = ? AND key = ?');
    this.#put = prepare(
      'INSERT OR REPLACE INTO memory (space, key, value, expires_at) VALUES (?, ?, ?, ?)',
    );
    this.#delete = prepare('DELETE FROM memory WHERE space = ? AND key = ?');
    this.#clear = prepare('DELETE FROM memory WHERE space = ?');
    this.#sweep = prepare(
      `DELETE FROM memory WHERE rowid IN
       (SELECT rowid FROM memory WHERE expires_at <= ? ORDER BY expires_at LIMIT 4)`,
    );
  }

  async read(space: string, key: string, now: number): Promise<unknown> {
    const item = await this.#deps.writer.read(() => this.#live({ space, key }, now));
    return item && JSON.parse(item.value);
  }

  async write(item: Parameters<MemoryStore['write']>[0]): Promise<void> {
    const text = toJsonText(item.value);
    const { expiry } = item;
    await this.#deps.writer.write(() => {
      this.#store(item, text, expiry?.at ?? null);
      if (expiry) this.#sweep.run(expiry.now);
    });
  }

  update(
    at: ItemKey & { readonly now: number },
    change: (value: unknown) => unknown,
  ): Promise<unknown> {
    return this.#deps.writer.write(() => {
      const item = this.#live(at, at.now);
      const value = change(item && JSON.parse(item.value));
      assertSynchronous(value);
      const text = toJsonText(value);
      this.#store(at, text, item?.expires_at ?? null);
      this.#sweep.run(at.now);
      return text === undefined ? undefined : JSON.parse(text);
    });
  }

  delete(space: string, key: string): Promise<boolean> {
    return this.#deps.writer.write(
      () => Number(this.#delete.run(...keyOf({ space, key })).changes) > 0,
    );
  }

  async clear(space: string): Promise<void> {
    await this.#deps.writer.write(() => this.#clear.run(toSqlText(space)));
  }

  #live(item: ItemKey, now: number): ItemRow | undefined {
    const row = this.#find.get(...keyOf(item)) as ItemRow | undefined;
    return row && (row.expires_at === null || row.expires_at > now) ? row : undefined;
  }

  /** Stores the text; deletes the item where JSON has no text for its value. */
  #store(item: ItemKey, text: string | undefined, expiresAt: number | null): void {
    if (text === undefined) this.#delete.run(...keyOf(item));
    else this.#put.run(...keyOf(item), text, expiresAt);
  }
}
