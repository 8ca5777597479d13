/** Rate limit counters in SQLite: one row per window; each new window removes a few old ones. */
import type { Counters, HitOutcome, Window } from '../../contract/store.ts';
import type { Statement } from '../../kit/sqlite/open-database.ts';
import type { SqliteDeps } from '../../kit/sqlite/sqlite-deps.ts';
import { toSqlText } from '../../kit/text/sql-text.ts';
import { judgeHits, type OpenWindow, openWindows } from '../counting-windows.ts';

/** Windows are kept this long after their end, for processes whose clocks disagree. */
const GRACE_MS = 60_000;

export class SqliteCounters implements Counters {
  readonly #deps: SqliteDeps;
  readonly #hits: Statement;
  readonly #add: Statement;
  readonly #open: Statement;
  readonly #sweep: Statement;

  constructor(deps: SqliteDeps) {
    this.#deps = deps;
    const prepare = (sql: string) => deps.database.prepare(sql);
    this.#hits = prepare('SELECT hits FROM counters WHERE key = ? AND size_ms = ? AND start = ?');
    this.#add = prepare(
      'UPDATE counters SET hits = hits + 1 WHERE key = ? AND size_ms = ? AND start = ?',
    );
    this.#open = prepare(
      'INSERT INTO counters (key, size_ms, start, ends, hits) VALUES (?, ?, ?, ?, 1)',
    );
    this.#sweep = prepare(
      `DELETE FROM counters WHERE (key, size_ms, start) IN
       (SELECT key, size_ms, start FROM counters WHERE ends <= ? ORDER BY ends LIMIT 4)`,
    );
  }

  async hit(key: string, windows: readonly Window[], now: number): Promise<HitOutcome> {
    const open = openWindows(windows, now);
    const name = toSqlText(key);
    return this.#deps.writer.write(() => {
      const outcome = judgeHits(open, now, (window) => this.#hitsIn(name, window));
      if (outcome.ok) for (const window of open) this.#count(name, window, now);
      return outcome;
    });
  }

  async peek(key: string, windows: readonly Window[], now: number): Promise<HitOutcome> {
    const open = openWindows(windows, now);
    const name = toSqlText(key);
    return this.#deps.writer.read(() =>
      judgeHits(open, now, (window) => this.#hitsIn(name, window)),
    );
  }

  #hitsIn(name: string, { sizeMs, start }: OpenWindow): number {
    const row = this.#hits.get(name, sizeMs, start) as { readonly hits: number } | undefined;
    return row?.hits ?? 0;
  }

  #count(name: string, { sizeMs, start }: OpenWindow, now: number): void {
    if (Number(this.#add.run(name, sizeMs, start).changes) > 0) return;
    this.#open.run(name, sizeMs, start, start + sizeMs);
    this.#sweep.run(now - GRACE_MS);
  }
}
