/**
 * Counts the rows that this process writes as it writes them, so that nobody has to read them from the
 * trail again. It may forget rows at any time: whoever counts the trail reads those that are not here.
 */
import type { AuditEntry } from '../../contract/audit.ts';
import { RowCounter } from './count-rows.ts';

/** More rows than these wait for nobody to come and take them. */
const MAX_ROWS = 200_000;
/** Every row of another process between those of this one begins a new run. */
const MAX_RUNS = 32;

/** Rows without a gap between them. */
export interface WrittenRun {
  readonly first: number;
  last: number;
  readonly counter: RowCounter;
}

export class WrittenRows {
  #runs: WrittenRun[] = [];
  #rows = 0;

  note(first: number, entries: readonly AuditEntry[]): void {
    if (this.#rows + entries.length > MAX_ROWS || this.#runs.length > MAX_RUNS) this.forget();
    const run = this.#runEndingBefore(first);
    for (const entry of entries) run.counter.note(entry);
    run.last = first + entries.length - 1;
    this.#rows += entries.length;
  }

  /** Removes and returns the run that begins right after a row; nothing when those rows must be read. */
  takeAfter(seq: number): WrittenRun | undefined {
    const run = this.#runs.find(({ first }) => first === seq + 1);
    // What another process has counted, in whole or in part, does not count again.
    this.#runs = this.#runs.filter((one) => one !== run && one.first > seq);
    this.#rows = this.#runs.reduce((sum, { first, last }) => sum + last - first + 1, 0);
    return run;
  }

  /** Returns the number of the first row here, before which reading may end. */
  get first(): number {
    return Math.min(...this.#runs.map(({ first }) => first));
  }

  forget(): void {
    this.#runs = [];
    this.#rows = 0;
  }

  #runEndingBefore(first: number): WrittenRun {
    const before = this.#runs.find(({ last }) => last === first - 1);
    if (before) return before;
    const run = { first, last: first - 1, counter: new RowCounter() };
    this.#runs.push(run);
    return run;
  }
}
