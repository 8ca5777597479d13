/** Counts of calls in SQLite: one row for a series and period, its counts as JSON. */
import type {
  CallCounts,
  CountedRows,
  MetricGrain,
  RollUp,
  RollUpQuery,
  RollUps,
} from '../../contract/metrics.ts';
import { addCounts } from '../../kit/metrics/add-counts.ts';
import type { Statement } from '../../kit/sqlite/open-database.ts';
import type { SqliteDeps } from '../../kit/sqlite/sqlite-deps.ts';
import { fromSqlText, toSqlText } from '../../kit/text/sql-text.ts';
import { ALL_METRIC_KINDS } from '../metric-kinds.ts';

interface RollUpRow {
  readonly name: string;
  readonly start: number;
  readonly counts: string;
}

const SQL = {
  mark: 'SELECT seq FROM metric_mark',
  setMark: 'INSERT OR REPLACE INTO metric_mark (one, seq) VALUES (1, ?)',
  one: 'SELECT counts FROM roll_ups WHERE kind = ? AND grain = ? AND start = ? AND name = ?',
  // Not REPLACE: it would move the row, and the days of a month would lie all over the file.
  put: `INSERT INTO roll_ups (kind, grain, start, name, counts) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (kind, grain, start, name) DO UPDATE SET counts = excluded.counts`,
  read: `SELECT name, start, counts FROM roll_ups
    WHERE kind = ?1 AND grain = ?2 AND start >= ?3 AND start < ?4 AND (?5 IS NULL OR name = ?5)
    ORDER BY start`,
  expire: `DELETE FROM roll_ups WHERE kind IN (${ALL_METRIC_KINDS}) AND grain = ? AND start < ?`,
} as const;

export class SqliteRollUps implements RollUps {
  readonly #deps: SqliteDeps;

  constructor(deps: SqliteDeps) {
    this.#deps = deps;
  }

  counted(): Promise<number> {
    return this.#deps.writer.read(() => this.#mark());
  }

  add({ after, last, rollUps }: CountedRows): Promise<boolean> {
    // Counts can be made again from the trail, so they need not survive a power cut.
    return this.#deps.writer.write(() => {
      if (this.#mark() !== after) return false;
      for (const rollUp of rollUps) this.#addOne(rollUp);
      this.#sql('setMark').run(last);
      return true;
    }, 'written');
  }

  async read({ kind, name, grain, from, to }: RollUpQuery): Promise<readonly RollUp[]> {
    const key = name === undefined ? null : toSqlText(name);
    const rows = await this.#deps.writer.read(
      () => this.#sql('read').all(kind, grain, from, to, key) as RollUpRow[],
    );
    return rows.map((row) => ({
      kind,
      name: fromSqlText(row.name),
      grain,
      start: Number(row.start),
      counts: JSON.parse(row.counts) as CallCounts,
    }));
  }

  expire(grain: MetricGrain, before: number): Promise<number> {
    return this.#deps.writer.write(
      () => Number(this.#sql('expire').run(grain, before).changes),
      'written',
    );
  }

  #addOne({ kind, name, grain, start, counts }: RollUp): void {
    const key = [kind, grain, start, toSqlText(name)] as const;
    const row = this.#sql('one').get(...key) as { readonly counts: string } | undefined;
    const sum = row ? addCounts(JSON.parse(row.counts) as CallCounts, counts) : counts;
    this.#sql('put').run(...key, JSON.stringify(sum));
  }

  #mark(): number {
    const row = this.#sql('mark').get() as { readonly seq: number } | undefined;
    return Number(row?.seq ?? 0);
  }

  /** Prepares a statement when it is first used, because most processes count nothing. */
  #sql(name: keyof typeof SQL): Statement {
    return this.#deps.database.prepare(SQL[name]);
  }
}
