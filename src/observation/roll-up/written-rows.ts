/**
 * Counts the rows that this process writes while it writes them, so that they need not be read from the
 * trail. It may forget rows at any time: rows that are not here are read from the trail.
 */
import type { AuditEntry } from '../../contract/audit.ts';
import { RowCounter } from './count-rows.ts';

/** Forgets everything above this number of rows, which means that nobody takes them. */
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
  /** The last row that is counted in the store, as of the last call of `forgetUpTo`. */
  #counted = 0;

  note(first: number, entries: readonly AuditEntry[]): void {
    if (this.#rows + entries.length > MAX_ROWS || this.#runs.length > MAX_RUNS) this.forget();
    const begin = Math.max(first, this.#counted + 1);
    const last = first + entries.length - 1;
    if (begin > last) return;
    const run = this.#runEndingBefore(begin);
    for (let seq = begin; seq <= last; seq++) run.counter.note(entries[seq - first] as AuditEntry);
    run.last = last;
    this.#rows += last - begin + 1;
  }

  /** Forgets the runs that begin at or before this row, the last one that the store has counted. */
  forgetUpTo(seq: number): void {
    this.#counted = seq;
    this.#keep(this.#runs.filter(({ first }) => first > seq));
  }

  /** Removes and returns the run that begins with a row. */
  take(first: number): WrittenRun | undefined {
    const run = this.#runs.find((one) => one.first === first);
    this.#keep(this.#runs.filter((one) => one !== run));
    return run;
  }

  /** Returns the number of the first row here, where reading of the trail may end. */
  get first(): number {
    return Math.min(...this.#runs.map(({ first }) => first));
  }

  /** Returns the number of the last row here. */
  get last(): number {
    return Math.max(...this.#runs.map(({ last }) => last));
  }

  forget(): void {
    this.#keep([]);
  }

  #keep(runs: WrittenRun[]): void {
    this.#runs = runs;
    this.#rows = runs.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  }

  #runEndingBefore(first: number): WrittenRun {
    const before = this.#runs.find(({ last }) => last === first - 1);
    if (before) return before;
    const run = { first, last: first - 1, counter: new RowCounter() };
    this.#runs.push(run);
    return run;
  }
}
