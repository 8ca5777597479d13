/** Rate limit counters in PostgreSQL: one row per window; each new window removes a few old ones. */
import type { Counters, HitOutcome, Window } from '../../contract/store.ts';
import { judgeHits, type OpenWindow, openWindows } from '../counting-windows.ts';
import { toKeyText } from './database/key-text.ts';
import type { Statement } from './database/open-database.ts';
import type { PostgresDeps } from './postgres-deps.ts';

/** Windows are kept this long after their end, for processes whose clocks disagree. */
const GRACE_MS = 60_000;

interface CountRow {
  readonly size_ms: number;
  readonly start: number;
  readonly hits: number;
}

/** Makes a limit a whole number, because the server counts in whole numbers. */
const wholeLimit = (limit: number): number =>
  Number.isNaN(limit) ? 0 : Math.floor(Math.min(limit, Number.MAX_SAFE_INTEGER));

export class PostgresCounters implements Counters {
  readonly #deps: PostgresDeps;
  readonly #hits: Statement;

  constructor(deps: PostgresDeps) {
    this.#deps = deps;
    this.#hits = deps.database.prepare('SELECT size_ms, start, hits FROM @counters WHERE key = $1');
  }

  /** Counts a hit on the server, by the same rule as `judgeHits`. The server answers the hits before this one. */
  async hit(key: string, windows: readonly Window[], now: number): Promise<HitOutcome> {
    const open = openWindows(windows, now);
    const hits = await this.#deps.writers.claims.write<readonly number[]>({
      op: 'hit',
      key: toKeyText(key),
      windows: open.map(({ limit, ...window }) => ({ ...window, limit: wholeLimit(limit) })),
      sweep: Math.floor(now) - GRACE_MS,
    });
    return judgeHits(open, now, (window) => hits[open.indexOf(window)] ?? 0);
  }

  async peek(key: string, windows: readonly Window[], now: number): Promise<HitOutcome> {
    const open = openWindows(windows, now);
    const rows = await this.#hits.all<CountRow>(toKeyText(key));
    const hitsIn = ({ sizeMs, start }: OpenWindow): number =>
      rows.find((row) => row.size_ms === sizeMs && row.start === start)?.hits ?? 0;
    return judgeHits(open, now, hitsIn);
  }
}
