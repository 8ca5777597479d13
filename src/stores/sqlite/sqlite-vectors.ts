/** Vectors in SQLite: 32-bit numbers in a blob, searched a page at a time. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  VectorItem,
  VectorKey,
  VectorKind,
  VectorMatch,
  VectorQuery,
  Vectors,
} from '../../contract/vectors.ts';
import type { Statement } from '../../kit/sqlite/open-database.ts';
import type { SqliteDeps } from '../../kit/sqlite/sqlite-deps.ts';
import { fromSqlText, toSqlText } from '../../kit/text/sql-text.ts';
import { blobOf, NearestVectors, VECTORS_PER_PAGE, vectorOf } from '../nearest-vectors.ts';
import { checkedItem, checkedQuery, MAX_VECTORS, tooMany, wrongLength } from '../unit-vector.ts';

interface VectorRow {
  readonly row: number;
  readonly kind: VectorKind;
  readonly id_key: string;
  readonly vector: Uint8Array;
}

const OF_MODEL = 'FROM vectors WHERE user_key = ?1 AND model = ?2 AND (?3 IS NULL OR kind = ?3)';

const SQL = {
  put: `INSERT INTO vectors (user_key, kind, id_key, model, dimensions, vector, stored_at)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (user_key, kind, id_key) DO UPDATE SET
    model = excluded.model, dimensions = excluded.dimensions, vector = excluded.vector,
    stored_at = excluded.stored_at`,
  otherLength: `SELECT dimensions FROM vectors WHERE user_key = ? AND model = ?
    AND NOT (kind = ? AND id_key = ?) LIMIT 1`,
  isKept: 'SELECT 1 FROM vectors WHERE user_key = ? AND kind = ? AND id_key = ?',
  count: 'SELECT count(*) AS vectors FROM vectors WHERE user_key = ?',
  page: `SELECT row, kind, id_key, vector ${OF_MODEL} AND dimensions = ?4 AND row > ?5
    ORDER BY row LIMIT ${VECTORS_PER_PAGE}`,
  keptLength: `SELECT dimensions ${OF_MODEL} LIMIT 1`,
  delete: 'DELETE FROM vectors WHERE user_key = ? AND kind = ? AND id_key = ?',
  clear: 'DELETE FROM vectors WHERE user_key = ? AND kind = ?',
} as const;

const keyOf = ({ userId, kind, id }: VectorKey): [user: string, kind: string, id: string] => [
  toSqlText(userId),
  kind,
  toSqlText(id),
];

export class SqliteVectors implements Vectors {
  readonly #deps: SqliteDeps;

  constructor(deps: SqliteDeps) {
    this.#deps = deps;
  }

  async put(item: VectorItem): Promise<void> {
    const unit = checkedItem(item);
    const [user, kind, id] = keyOf(item);
    const model = toSqlText(item.model);
    await this.#deps.writer.write(() => {
      const keptLength = this.#lengthOf(this.#sql('otherLength').get(user, model, kind, id));
      if (keptLength !== undefined && keptLength !== unit.length)
        throw wrongLength(unit.length, keptLength);
      if (this.#sql('isKept').get(user, kind, id) === undefined) this.#assertRoom(user);
      const values = [user, kind, id, model, unit.length, blobOf(unit), item.storedAt];
      this.#sql('put').run(...values);
    });
  }

  async search(query: VectorQuery): Promise<readonly VectorMatch[]> {
    const unit = checkedQuery(query);
    const scope = [toSqlText(query.userId), toSqlText(query.model), query.kind ?? null] as const;
    const nearest = new NearestVectors(unit, query);
    for (let last = -1; ; ) {
      const page = await this.#page(scope, unit.length, last);
      nearest.look(page.map((row) => ({ ...row, id: row.id_key, vector: vectorOf(row.vector) })));
      if (last === -1 && page.length === 0) await this.#assertNone(scope, unit.length);
      if (page.length < VECTORS_PER_PAGE) break;
      last = page.at(-1)?.row ?? last;
      // Reading is synchronous: others get their turn between two pages.
      await nextTurn();
    }
    return nearest.matches().map((match) => ({ ...match, id: fromSqlText(match.id) }));
  }

  async delete(key: VectorKey): Promise<boolean> {
    return (await this.#changes(() => this.#sql('delete').run(...keyOf(key)))) > 0;
  }

  clear(userId: string, kind: VectorKind): Promise<number> {
    return this.#changes(() => this.#sql('clear').run(toSqlText(userId), kind));
  }

  /** Prepares a statement when it is first used, because most processes keep no vectors. */
  #sql(name: keyof typeof SQL): Statement {
    return this.#deps.database.prepare(SQL[name]);
  }

  #page(
    scope: readonly [string, string, string | null],
    length: number,
    last: number,
  ): Promise<readonly VectorRow[]> {
    return this.#deps.writer.read(
      () => this.#sql('page').all(...scope, length, last) as VectorRow[],
    );
  }

  /** Throws when there are vectors, but of another length. */
  async #assertNone(
    scope: readonly [string, string, string | null],
    length: number,
  ): Promise<void> {
    const keptLength = await this.#deps.writer.read(() =>
      this.#lengthOf(this.#sql('keptLength').get(...scope)),
    );
    if (keptLength !== undefined) throw wrongLength(length, keptLength);
  }

  #lengthOf(row: unknown): number | undefined {
    return row === undefined ? undefined : Number((row as { dimensions: number }).dimensions);
  }

  #assertRoom(user: string): void {
    const { vectors } = this.#sql('count').get(user) as { readonly vectors: number };
    if (Number(vectors) >= MAX_VECTORS) throw tooMany();
  }

  #changes(work: () => { readonly changes: number | bigint }): Promise<number> {
    return this.#deps.writer.write(() => Number(work().changes));
  }
}
