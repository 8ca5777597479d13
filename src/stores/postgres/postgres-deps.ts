/** What every part of the PostgreSQL store is built on. */
import type { Database } from './database/open-database.ts';
import type { Owner } from './database/owner.ts';
import type { LaneName, Writer } from './database/writer.ts';

export interface PostgresDeps {
  readonly database: Database;
  readonly writers: Readonly<Record<LaneName, Writer>>;
  readonly owner: Owner;
}
