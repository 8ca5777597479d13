/**
 * Syncs commits to disk. SQLite syncs a commit that has to survive a power cut before it returns. One
 * that has to survive this process only is written to the system, and the log is synced soon after,
 * outside the event loop, once for all such commits.
 */
import { close, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Durability } from '../../contract/audit.ts';
import type { Runtime, Timer } from '../../contract/runtime.ts';
import type { Database } from './open-database.ts';

/** How long a commit may stay unsynced. */
const SYNC_WITHIN_MS = 20;

const LEVEL: Readonly<Record<Durability, string>> = {
  synced: 'PRAGMA synchronous = FULL',
  written: 'PRAGMA synchronous = NORMAL',
};

const systemSync = promisify(fdatasync);
const closeFile = promisify(close);

export interface CommitSyncOptions {
  readonly database: Database;
  readonly runtime: Runtime;
  /** The write-ahead log; without one every commit is synced at once. */
  readonly log?: string;
  /** Syncs a file; the system's own call when absent. */
  readonly syncFile?: (file: number) => Promise<void>;
}

export class CommitSync {
  readonly #options: CommitSyncOptions;
  #level: Durability = 'synced';
  /** Undefined when later syncs are not possible. */
  #log: number | undefined;
  #due: Timer | undefined;
  #syncing: Promise<void> | undefined;
  #isDirty = false;

  constructor(options: CommitSyncOptions) {
    this.#options = options;
    if (options.log !== undefined) this.#log = this.#open(options.log);
  }

  /** Chooses how the next transaction is synced. Called before it begins. */
  prepare(durability: Durability): void {
    const level = this.#log === undefined ? 'synced' : durability;
    if (level === this.#level) return;
    this.#options.database.exec(LEVEL[level]);
    this.#level = level;
  }

  /** Schedules a sync where one is due. Called after each commit. */
  committed(): void {
    if (this.#level === 'synced') {
      // The sync of this commit covered all earlier ones.
      this.#isDirty = false;
      return;
    }
    this.#isDirty = true;
    if (!this.#syncing) this.#due ??= this.#options.runtime.after(SYNC_WITHIN_MS, this.#syncNow);
  }

  /** Resolves when what was committed until now, by other processes too, is on disk. */
  async settle(): Promise<void> {
    await this.#syncing;
    await this.#sync();
  }

  /** Syncs what is left, and closes the log. */
  async close(): Promise<void> {
    this.#due?.cancel();
    this.#due = undefined;
    await this.#syncing;
    if (this.#isDirty) await this.#sync();
    const log = this.#log;
    this.#log = undefined;
    if (log !== undefined) await closeFile(log);
  }

  readonly #syncNow = (): void => {
    this.#due = undefined;
    if (!this.#isDirty) return;
    this.#syncing = this.#sync().then(() => {
      this.#syncing = undefined;
      if (this.#isDirty && this.#log !== undefined) this.committed();
    });
  };

  /** Syncs the log. After a failure it is unknown what is on disk: then every commit is synced at once. */
  async #sync(): Promise<void> {
    const { runtime, syncFile = systemSync } = this.#options;
    if (this.#log === undefined) return;
    this.#isDirty = false;
    try {
      await syncFile(this.#log);
    } catch (error) {
      runtime.log.error('The log of the database could not be synced.', {
        error: String(error),
      });
      const log = this.#log;
      this.#log = undefined;
      await closeFile(log).catch(() => undefined);
    }
  }

  #open(path: string): number | undefined {
    try {
      return openSync(path, 'r+');
    } catch (error) {
      this.#options.runtime.log.debug('The log of the database cannot be opened.', {
        error: String(error),
      });
      return undefined;
    }
  }
}
