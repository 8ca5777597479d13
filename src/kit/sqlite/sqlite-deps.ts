/** What every part that keeps something in SQLite is built on. */
import type { Database } from './open-database.ts';
import type { Owner } from './owner.ts';
import type { Writer } from './writer.ts';

export interface SqliteDeps {
  readonly database: Database;
  readonly writer: Writer;
  readonly owner: Owner;
}
