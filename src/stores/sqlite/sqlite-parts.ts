/** What every part of the SQLite store is built on. */
import type { Database } from './open-database.ts';
import type { Owner } from './owner.ts';
import type { Writer } from './writer.ts';

export interface SqliteParts {
  readonly database: Database;
  readonly writer: Writer;
  readonly owner: Owner;
}
