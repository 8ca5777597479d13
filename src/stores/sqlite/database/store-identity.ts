/** Writes and checks the random id of a database, which the user's record of it has, too. */
import { ToolFailure } from '../../../contract/errors.ts';
import type { Database } from '../../../kit/sqlite/open-database.ts';

export interface StoreIdentity {
  readonly id: string;
  /** The user has said that the database is theirs, whatever its id was. */
  readonly adopt?: true;
}

/** The database is not the one that the caller has a record of. Nothing in it was changed. */
export class ForeignStore extends ToolFailure {
  constructor() {
    super('STORE_UNAVAILABLE', 'The database is not the one that you made here.', {
      retryable: false,
      suggestions: ['If it is yours: toolcrib trust --store'],
    });
  }
}

const TABLE = `CREATE TABLE store_identity (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  id TEXT NOT NULL
) STRICT`;

const hasTable = (database: Database): boolean =>
  database
    .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'store_identity'")
    .get() !== undefined;

/** Gives a database its id, in the transaction that makes it. */
export const writeIdentity = (database: Database, { id }: StoreIdentity): void => {
  if (!hasTable(database)) database.exec(TABLE);
  database.prepare('INSERT OR REPLACE INTO store_identity (one, id) VALUES (1, ?)').run(id);
};

/** Throws `ForeignStore` for a database of another id, or of none. */
export const assertIdentity = (database: Database, { id }: StoreIdentity): void => {
  const row = hasTable(database)
    ? (database.prepare('SELECT id FROM store_identity').get() as { id: unknown } | undefined)
    : undefined;
  if (row?.id !== id) throw new ForeignStore();
};
