/**
 * Counts the rows of the audit trail that no process has counted yet. Each row counts once, whatever
 * process dies or counts at the same time, because the counts and the mark are written in one step.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuditLog, AuditRow } from '../../contract/audit.ts';
import type { RollUps } from '../../contract/metrics.ts';
import { RowCounter } from './count-rows.ts';

/** Rows that are written together at most; more would hold a transaction open for long. */
const MAX_ROWS = 10_000;

export interface TrailCounterDeps {
  readonly audit: Pick<AuditLog, 'scan'>;
  readonly rollUps: Pick<RollUps, 'counted' | 'add'>;
}

export class TrailCounter {
  readonly #deps: TrailCounterDeps;
  #counting: Promise<void> | undefined = undefined;
  #isClosed = false;

  constructor(deps: TrailCounterDeps) {
    this.#deps = deps;
  }

  /** Resolves when all rows that were there when it was called are counted. */
  async count(): Promise<void> {
    // Rows may have come after the count under way looked for them.
    if (this.#counting) await this.#counting;
    this.#counting ??= this.#countAll().finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  /** Ends the count under way after the rows it has read. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#counting?.catch(() => undefined);
  }

  async #countAll(): Promise<void> {
    while (!this.#isClosed && (await this.#countSome())) await nextTurn();
  }

  /** False when nothing is left. */
  async #countSome(): Promise<boolean> {
    const { audit, rollUps } = this.#deps;
    const after = await rollUps.counted();
    const counter = new RowCounter();
    let rows = 0;
    let last = after;
    for await (const page of audit.scan(after + 1)) {
      for (const row of page) counter.note(row);
      rows += page.length;
      last = (page.at(-1) as AuditRow | undefined)?.seq ?? last;
      if (rows >= MAX_ROWS || this.#isClosed) break;
    }
    if (rows === 0) return false;
    // False means that another process has counted these rows: the next round begins at its mark.
    await rollUps.add({ after, last, rollUps: counter.rollUps() });
    return true;
  }
}
