/**
 * Counts of calls in PostgreSQL: one row for a series and period, its counts as JSON. The sums are made
 * here and written in one statement, on condition that the mark has not moved since they were read:
 * whoever changes a sum moves the mark.
 */
import type {
  CallCounts,
  CountedRows,
  MetricGrain,
  RollUp,
  RollUpQuery,
  RollUps,
} from '../../contract/metrics.ts';
import { addCounts } from '../../kit/metrics/add-counts.ts';
import { fromSqlText, toSqlText } from '../../kit/text/sql-text.ts';
import { ALL_METRIC_KINDS } from '../metric-kinds.ts';
import type { Statement } from './database/open-database.ts';
import type { PostgresDeps } from './postgres-deps.ts';

interface RollUpRow {
  readonly kind: string;
  readonly grain: number;
  readonly start: number;
  readonly name: string;
  readonly counts: string;
}

const COLUMNS = 'kind text, grain bigint, start bigint, name text, counts text';

const SQL = {
  mark: 'SELECT seq FROM @metric_mark',
  these: `SELECT counts.kind, counts.grain, counts.start, counts.name, counts.counts FROM @roll_ups AS counts
    JOIN jsonb_to_recordset($1::jsonb) AS new (${COLUMNS}) USING (kind, grain, start, name)`,
  add: `WITH moved AS (
      INSERT INTO @metric_mark AS mark (one, seq) VALUES (1, $2::bigint)
      ON CONFLICT (one) DO UPDATE SET seq = excluded.seq WHERE mark.seq = $1::bigint RETURNING 1
    ), written AS (
      INSERT INTO @roll_ups (kind, grain, start, name, counts)
      SELECT kind, grain, start, name, counts FROM jsonb_to_recordset($3::jsonb) AS new (${COLUMNS})
      WHERE EXISTS (SELECT 1 FROM moved)
      ON CONFLICT (kind, grain, start, name) DO UPDATE SET counts = excluded.counts
    ) SELECT count(*)::int AS moved FROM moved`,
  read: `SELECT name, start, counts FROM @roll_ups WHERE kind = $1 AND grain = $2::bigint
    AND start >= $3::bigint AND start < $4::bigint AND ($5::text IS NULL OR name = $5)
    ORDER BY start`,
  expire: `DELETE FROM @roll_ups
    WHERE kind IN (${ALL_METRIC_KINDS}) AND grain = $1::bigint AND start < $2::bigint`,
} as const;

const keyOf = ({ kind, grain, start, name }: Omit<RollUpRow, 'counts'>): string =>
  `${kind} ${grain} ${start} ${name}`;

export class PostgresRollUps implements RollUps {
  readonly #deps: PostgresDeps;

  constructor(deps: PostgresDeps) {
    this.#deps = deps;
  }

  async counted(): Promise<number> {
    return (await this.#sql('mark').get<{ readonly seq: number }>())?.seq ?? 0;
  }

  async add({ after, last, rollUps }: CountedRows): Promise<boolean> {
    if ((await this.counted()) !== after) return false;
    const rows = rollUps.map((one) => ({ ...one, name: toSqlText(one.name) }));
    const keys = JSON.stringify(rows.map(({ counts: _counts, ...key }) => key));
    const counts = new Map(
      (await this.#sql('these').all<RollUpRow>(keys)).map((row) => [keyOf(row), row.counts]),
    );
    const sums = rows.map((row) => {
      const before = counts.get(keyOf(row));
      const sum = before ? addCounts(JSON.parse(before) as CallCounts, row.counts) : row.counts;
      return { ...row, counts: JSON.stringify(sum) };
    });
    const answer = await this.#sql('add').get<{ readonly moved: number }>(
      after,
      last,
      JSON.stringify(sums),
    );
    return answer?.moved === 1;
  }

  async read({ kind, name, grain, from, to }: RollUpQuery): Promise<readonly RollUp[]> {
    const key = name === undefined ? null : toSqlText(name);
    const rows = await this.#sql('read').all<RollUpRow>(kind, grain, from, to, key);
    return rows.map((row) => ({
      kind,
      name: fromSqlText(row.name),
      grain,
      start: row.start,
      counts: JSON.parse(row.counts) as CallCounts,
    }));
  }

  expire(grain: MetricGrain, before: number): Promise<number> {
    return this.#sql('expire').run(grain, before);
  }

  /** Prepares a statement when it is first used, because most processes count nothing. */
  #sql(name: keyof typeof SQL): Statement {
    return this.#deps.database.prepare(SQL[name]);
  }
}
