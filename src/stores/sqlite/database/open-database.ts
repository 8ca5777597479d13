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
  /** The same statement for the same text. */
  prepare(sql: string): Statement;
  exec(sql: string): void;
  close(): void;
}

interface Engine {
  readonly DatabaseSync: new (path: string) => Database;
}

/**
 * Node warns on standard error that its engine may still change. That is for us to know, not for
 * everyone who runs a command, so warnings are held back for the moment of loading.
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
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#engine.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  exec(sql: string): void {
    this.#engine.exec(sql);
  }

  /**
   * The package cannot finalize statements, so the file stays open, though unlocked, until the
   * garbage collector has been by. That is why the log is folded into the file here already.
   */
  close(): void {
    this.#statements.clear();
    try {
      this.#engine.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The next one to open the file will do it.
    }
    this.#engine.close();
  }
}

/** Throws the engine's own error; `store-failure.ts` knows how to read it. */
export const openDatabase = async (path: string): Promise<Database> => {
  const { DatabaseSync } = await loadEngine();
  return new Connection(new DatabaseSync(path));
};
