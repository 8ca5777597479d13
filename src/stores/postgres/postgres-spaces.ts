/**
 * What tools remember, in PostgreSQL: JSON text by space and key. An update reads, computes here, and
 * exchanges the value if it is still the one that was read; otherwise it starts again.
 */
import { ToolFailure } from '../../contract/errors.ts';
import type { MemoryStore } from '../../contract/store.ts';
import { assertSynchronous, toJsonText } from '../plain-json.ts';
import { jsonNumber } from './database/json-number.ts';
import { toKeyText } from './database/key-text.ts';
import type { Statement } from './database/open-database.ts';
import type { PostgresDeps } from './postgres-deps.ts';

/** How often an update starts again because others write the same item. */
const MAX_TRIES = 200;

const PUT = `INSERT INTO @memory (space, key, value, expires_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (space, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`;

type UpdatedItem = Parameters<MemoryStore['update']>[0];

export class PostgresSpaces implements MemoryStore {
  readonly #deps: PostgresDeps;
  readonly #find: Statement;
  readonly #put: Statement;
  readonly #putExpiring: Statement;
  readonly #delete: Statement;
  readonly #clear: Statement;
  /** The last update of each item of this process: updates of one item take turns. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(deps: PostgresDeps) {
    this.#deps = deps;
    const prepare = (sql: string) => deps.database.prepare(sql);
    this.#find = prepare(
      `SELECT value FROM @memory
       WHERE space = $1 AND key = $2 AND (expires_at IS NULL OR expires_at > $3)`,
    );
    this.#put = prepare(PUT);
    // Not the item that is written: one statement changes a row once.
    this.#putExpiring = prepare(
      `WITH swept AS (DELETE FROM @memory WHERE (space, key) IN (SELECT space, key FROM @memory
         WHERE expires_at <= $5 AND (space, key) <> ($1, $2)
         ORDER BY expires_at LIMIT 4 FOR UPDATE SKIP LOCKED))
       ${PUT}`,
    );
    this.#delete = prepare('DELETE FROM @memory WHERE space = $1 AND key = $2');
    this.#clear = prepare('DELETE FROM @memory WHERE space = $1');
  }

  async read(space: string, key: string, now: number): Promise<unknown> {
    const text = await this.#text({ space, key, now });
    return text === undefined ? undefined : JSON.parse(text);
  }

  async write(item: Parameters<MemoryStore['write']>[0]): Promise<void> {
    const text = toJsonText(item.value);
    const keys = [toKeyText(item.space), toKeyText(item.key)];
    if (text === undefined) await this.#delete.run(...keys);
    else if (item.expiry === undefined) await this.#put.run(...keys, text, null);
    else await this.#putExpiring.run(...keys, text, item.expiry.at, item.expiry.now);
  }

  async update(at: UpdatedItem, change: (value: unknown) => unknown): Promise<unknown> {
    const name = JSON.stringify([at.space, at.key]);
    const before = this.#turns.get(name);
    const turn = (before ?? Promise.resolve()).then(
      () => this.#exchange(at, change),
      () => this.#exchange(at, change),
    );
    this.#turns.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(name) === turn) this.#turns.delete(name);
    }
  }

  async delete(space: string, key: string): Promise<boolean> {
    return (await this.#delete.run(toKeyText(space), toKeyText(key))) > 0;
  }

  async clear(space: string): Promise<void> {
    await this.#clear.run(toKeyText(space));
  }

  async #text({ space, key, now }: UpdatedItem): Promise<string | undefined> {
    const row = await this.#find.get<{ value: string }>(toKeyText(space), toKeyText(key), now);
    return row?.value;
  }

  async #exchange(at: UpdatedItem, change: (value: unknown) => unknown): Promise<unknown> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = await this.#text(at);
      const value = change(before === undefined ? undefined : JSON.parse(before));
      assertSynchronous(value);
      const after = toJsonText(value);
      const isDone = await this.#deps.writers.records.write<boolean>({
        op: 'exchange',
        space: toKeyText(at.space),
        key: toKeyText(at.key),
        now: jsonNumber(at.now),
        before: before ?? null,
        after: after ?? null,
      });
      if (isDone) return after === undefined ? undefined : JSON.parse(after);
    }
    throw new ToolFailure('STORE_UNAVAILABLE', 'Too many processes change this item at once.', {
      suggestions: ['Call again.'],
    });
  }
}
