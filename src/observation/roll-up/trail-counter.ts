/**
 * Counts the rows of the audit trail that no process has counted yet. Counts and mark are written in one
 * step, so each row counts once, even when processes count at the same time or die.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuditLog, AuditRow } from '../../contract/audit.ts';
import type { CountedRows, RollUps } from '../../contract/metrics.ts';
import { RowCounter } from './count-rows.ts';
import { WrittenRows } from './written-rows.ts';

/** The most rows that are counted in one step; more would keep a transaction open for long. */
const MAX_ROWS = 10_000;

export interface TrailCounterDeps {
  readonly audit: Pick<AuditLog, 'scan' | 'onWritten'>;
  readonly rollUps: Pick<RollUps, 'counted' | 'add'>;
}

type IsStopped = () => boolean;
const NEVER: IsStopped = () => false;

export class TrailCounter {
  readonly #deps: TrailCounterDeps;
  readonly #written = new WrittenRows();
  #unfollow: (() => void) | undefined = undefined;
  #counting: Promise<void> | undefined = undefined;

  constructor(deps: TrailCounterDeps) {
    this.#deps = deps;
  }

  /** Counts rows of this process as they are written, from now on, so that they need not be read. */
  follow(): void {
    this.#unfollow ??= this.#deps.audit.onWritten?.((first, entries) =>
      this.#written.note(first, entries),
    );
  }

  unfollow(): void {
    this.#unfollow?.();
    this.#unfollow = undefined;
    this.#written.forget();
  }

  /** Resolves when all rows that were there when it was called are counted, or when it was stopped. */
  async count(isStopped = NEVER): Promise<void> {
    // Rows may have come after the count under way looked for them.
    if (this.#counting) await this.#counting;
    this.#counting ??= this.#countAll(isStopped).finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #countAll(isStopped: IsStopped): Promise<void> {
    const lastOwn = this.#written.last;
    while (!isStopped() && (await this.#countSome(lastOwn, isStopped))) await nextTurn();
  }

  /** Counts some rows. Returns false when only rows are left that this process wrote after its row `lastOwn`. */
  async #countSome(lastOwn: number, isStopped: IsStopped): Promise<boolean> {
    const { rollUps } = this.#deps;
    const after = await rollUps.counted();
    this.#written.forgetUpTo(after);
    if (this.#written.first === after + 1 && after >= lastOwn) return false;
    const run = this.#written.take(after + 1);
    const rows = run
      ? { after, last: run.last, rollUps: run.counter.rollUps() }
      : await this.#read(after, isStopped);
    if (rows.last === after) return false;
    // Nothing is added when another process has counted these rows: the next step begins at its mark.
    await rollUps.add(rows);
    return true;
  }

  /** Reads and counts rows of the trail, up to those that were counted as they were written. */
  async #read(after: number, isStopped: IsStopped): Promise<CountedRows> {
    const counter = new RowCounter();
    let last = after;
    for await (const page of this.#deps.audit.scan(after + 1)) {
      // Read again for each page, because this process goes on writing.
      const end = Math.min(this.#written.first, after + 1 + MAX_ROWS);
      const rows = page.filter(({ seq }) => seq < end);
      for (const row of rows) counter.note(row);
      last = (rows.at(-1) as AuditRow | undefined)?.seq ?? last;
      if (rows.length < page.length || last + 1 >= end || isStopped()) break;
    }
    this.#written.forgetUpTo(last);
    return { after, last, rollUps: counter.rollUps() };
  }
}
