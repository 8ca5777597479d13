/** Inserts several rows with one statement, because a statement costs more than a row. */

import type { Database, SqlValue, Statement } from '../../kit/sqlite/open-database.ts';
import { AUDIT_COLUMNS } from '../audit-columns.ts';

const COLUMNS = AUDIT_COLUMNS.split(',').length;
const ROWS_AT_ONCE = 4;

const insertOf = (rows: number): string => {
  const row = `(${Array.from({ length: COLUMNS }, () => '?').join(', ')})`;
  return `INSERT INTO audit (${AUDIT_COLUMNS}) VALUES ${Array.from({ length: rows }, () => row).join(', ')}`;
};

export class AuditInserts {
  readonly #one: Statement;
  readonly #several: Statement;

  constructor(database: Database) {
    this.#one = database.prepare(insertOf(1));
    this.#several = database.prepare(insertOf(ROWS_AT_ONCE));
  }

  /** Inserts any number of rows: `values` holds them one after the other, in the order of the columns. */
  run(values: readonly SqlValue[]): void {
    const step = ROWS_AT_ONCE * COLUMNS;
    let at = 0;
    for (; at + step <= values.length; at += step)
      this.#several.run(...values.slice(at, at + step));
    for (; at < values.length; at += COLUMNS) this.#one.run(...values.slice(at, at + COLUMNS));
  }
}
