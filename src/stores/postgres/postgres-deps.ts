/** What every part of the PostgreSQL store is built on. */
import type { Runtime } from '../../contract/runtime.ts';
import type { Database } from './database/open-database.ts';
import type { Owner } from './database/owner.ts';
import type { WriteGroup, Writer } from './database/writer.ts';

export interface PostgresDeps {
  readonly database: Database;
  readonly writers: Readonly<Record<WriteGroup, Writer>>;
  readonly owner: Owner;
  readonly runtime: Runtime;
}
