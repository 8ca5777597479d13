/**
 * Opens SQLite: the engine built into Node where there is one (22.13 and later), the package with
 * the same interface elsewhere. Both are loaded on first use only.
 */

export type SqlValue = string | number | null | Uint8Array;

export interface Statement {
  run(...values: SqlValue[]): { readonly changes: number | bigint };
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
}

export interface Database {
  /** Prepares a statement; returns the same one for the same text. */
  prepare(sql: string): Statement;
  exec(sql: string): void;
  close(): void;
}

interface Engine {
  readonly DatabaseSync: new (path: string) => Database;
}

/**
 * Loads Node's own engine without its warning that it may still change, which is of no use to people who
 * run a command.
 */
const loadBuiltIn = (): Engine | undefined => {
  const warn = process.emitWarning;
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:sqlite') as Engine | undefined;
  } finally {
    process.emitWarning = warn;
  }
};

const loadEngine = async (): Promise<Engine> =>
  loadBuiltIn() ?? (await import('@photostructure/sqlite'));

/** Compiles each text once. */
class Connection implements Database {
  readonly #engine: Database;
  readonly #statements = new Map<string, Statement>();

  constructor(engine: Database) {
    this.#engine = engine;
  }

  prepare(sql: string): Statement {
    const prepared = this.#statements.get(sql);
    if (prepared) return prepared;
    const statement = this.#engine.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  exec(sql: string): void {
    this.#engine.exec(sql);
  }

  /**
   * Moves the log into the file first: the package cannot finalize statements, so the file stays open,
   * though unlocked, until the next garbage collection.
   */
  close(): void {
    this.#statements.clear();
    try {
      this.#engine.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The next process that opens the file does it.
    }
    this.#engine.close();
  }
}

/** Opens a database. Throws the engine's own error, which `store-failure.ts` explains. */
export const openDatabase = async (path: string): Promise<Database> => {
  const { DatabaseSync } = await loadEngine();
  return new Connection(new DatabaseSync(path));
};
