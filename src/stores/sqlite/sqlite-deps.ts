/** What every part of the SQLite store is built on. */
import type { Database } from '../../kit/sqlite/open-database.ts';
import type { Owner } from '../../kit/sqlite/owner.ts';
import type { Writer } from '../../kit/sqlite/writer.ts';

export interface SqliteDeps {
  readonly database: Database;
  readonly writer: Writer;
  readonly owner: Owner;
}
