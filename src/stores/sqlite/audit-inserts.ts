/** Inserts several rows with one statement, because a statement costs more than a row. */
import type { Database, SqlValue, Statement } from '../../kit/sqlite/open-database.ts';
import { AUDIT_COLUMNS } from '../audit-columns.ts';

const COLUMNS = AUDIT_COLUMNS.split(',').length;
/** Larger statements gain nothing more. */
const ROWS_AT_ONCE = [16, 8, 4, 2, 1];

const insertOf = (rows: number): string => {
  const row = `(${Array.from({ length: COLUMNS }, () => '?').join(', ')})`;
  return `INSERT INTO audit (${AUDIT_COLUMNS}) VALUES ${Array.from({ length: rows }, () => row).join(', ')}`;
};

export class AuditInserts {
  readonly #inserts: readonly { readonly step: number; readonly statement: Statement }[];

  constructor(database: Database) {
    this.#inserts = ROWS_AT_ONCE.map((rows) => ({
      step: rows * COLUMNS,
      statement: database.prepare(insertOf(rows)),
    }));
  }

  /** Inserts any number of rows: `values` holds them one after the other, in the order of the columns. */
  run(values: readonly SqlValue[]): void {
    let at = 0;
    for (const { step, statement } of this.#inserts) {
      for (; at + step <= values.length; at += step) statement.run(...values.slice(at, at + step));
    }
  }
}
