/**
 * Vectors in PostgreSQL: 32-bit numbers in a `bytea`, read a page at a time and compared here, so that no
 * extension is needed. `id_key` is a digest for long ids, so the id is kept beside it.
 */
import type {
  VectorItem,
  VectorKey,
  VectorKind,
  VectorMatch,
  VectorQuery,
  Vectors,
} from '../../contract/vectors.ts';
import { fromSqlText, toSqlText } from '../../kit/text/sql-text.ts';
import { blobOf, NearestVectors, VECTORS_PER_PAGE, vectorOf } from '../nearest-vectors.ts';
import { checkedItem, checkedQuery, MAX_VECTORS, tooMany, wrongLength } from '../unit-vector.ts';
import { toKeyText } from './database/key-text.ts';
import type { SqlValue, Statement } from './database/open-database.ts';
import type { PostgresDeps } from './postgres-deps.ts';

interface VectorRow {
  readonly position: number;
  readonly kind: VectorKind;
  readonly id: string;
  readonly vector: Uint8Array;
}

const KEY = 'user_key = $1 AND kind = $2 AND id_key = $3';
const OF_MODEL = `FROM @vectors WHERE user_key = $1 AND model = $2
  AND ($3::text IS NULL OR kind = $3)`;

const SQL = {
  put: `INSERT INTO @vectors (user_key, kind, id_key, id, model, dimensions, vector, stored_at)
    SELECT $1::text, $2::text, $3::text, $4::text, $5::text, $6::bigint, $7::bytea,
      $8::double precision
    WHERE NOT EXISTS (SELECT 1 FROM @vectors WHERE user_key = $1 AND model = $5
      AND dimensions <> $6 AND NOT (kind = $2 AND id_key = $3))
    AND (EXISTS (SELECT 1 FROM @vectors WHERE ${KEY})
      OR (SELECT count(*) FROM @vectors WHERE user_key = $1) < ${MAX_VECTORS})
    ON CONFLICT (user_key, kind, id_key) DO UPDATE SET model = excluded.model,
      dimensions = excluded.dimensions, vector = excluded.vector, stored_at = excluded.stored_at`,
  otherLength: `SELECT dimensions FROM @vectors WHERE user_key = $1 AND model = $4
    AND NOT (kind = $2 AND id_key = $3) LIMIT 1`,
  page: `SELECT position, kind, id, vector ${OF_MODEL} AND dimensions = $4 AND position > $5
    ORDER BY position LIMIT ${VECTORS_PER_PAGE}`,
  keptLength: `SELECT dimensions ${OF_MODEL} LIMIT 1`,
  delete: `DELETE FROM @vectors WHERE ${KEY}`,
  clear: 'DELETE FROM @vectors WHERE user_key = $1 AND kind = $2',
} as const;

const keyOf = ({ userId, kind, id }: VectorKey): [user: string, kind: string, id: string] => [
  toKeyText(userId),
  kind,
  toKeyText(id),
];

export class PostgresVectors implements Vectors {
  readonly #deps: PostgresDeps;

  constructor(deps: PostgresDeps) {
    this.#deps = deps;
  }

  async put(item: VectorItem): Promise<void> {
    const unit = checkedItem(item);
    const key = keyOf(item);
    const model = toKeyText(item.model);
    const values = [toSqlText(item.id), model, unit.length, blobOf(unit), item.storedAt];
    if ((await this.#sql('put').run(...key, ...values)) > 0) return;
    const keptLength = await this.#lengthOf('otherLength', [...key, model]);
    throw keptLength === undefined || keptLength === unit.length
      ? tooMany()
      : wrongLength(unit.length, keptLength);
  }

  async search(query: VectorQuery): Promise<readonly VectorMatch[]> {
    const unit = checkedQuery(query);
    const scope = [toKeyText(query.userId), toKeyText(query.model), query.kind ?? null];
    const nearest = new NearestVectors(unit, query);
    for (let last = -1; ; ) {
      const page = await this.#sql('page').all<VectorRow>(...scope, unit.length, last);
      nearest.look(page.map((row) => ({ ...row, vector: vectorOf(row.vector) })));
      if (last === -1 && page.length === 0) {
        const keptLength = await this.#lengthOf('keptLength', scope);
        if (keptLength !== undefined) throw wrongLength(unit.length, keptLength);
      }
      if (page.length < VECTORS_PER_PAGE) break;
      last = page.at(-1)?.position ?? last;
    }
    return nearest.matches().map((match) => ({ ...match, id: fromSqlText(match.id) }));
  }

  async delete(key: VectorKey): Promise<boolean> {
    return (await this.#sql('delete').run(...keyOf(key))) > 0;
  }

  clear(userId: string, kind: VectorKind): Promise<number> {
    return this.#sql('clear').run(toKeyText(userId), kind);
  }

  /** Prepares a statement when it is first used, because most processes keep no vectors. */
  #sql(name: keyof typeof SQL): Statement {
    return this.#deps.database.prepare(SQL[name]);
  }

  async #lengthOf(
    name: 'otherLength' | 'keptLength',
    values: readonly SqlValue[],
  ): Promise<number | undefined> {
    return (await this.#sql(name).get<{ dimensions: number }>(...values))?.dimensions;
  }
}
