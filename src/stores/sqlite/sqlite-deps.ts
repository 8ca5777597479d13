/** What every part of the SQLite store is built on. */
import type { Database } from './database/open-database.ts';
import type { Owner } from './database/owner.ts';
import type { Writer } from './database/writer.ts';

export interface SqliteDeps {
  readonly database: Database;
  readonly writer: Writer;
  readonly owner: Owner;
}
